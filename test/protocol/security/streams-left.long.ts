import '../../support/long-lane.ts'
import './streams-left.test.ts'
