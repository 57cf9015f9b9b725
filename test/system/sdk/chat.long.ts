import '../../support/long-lane.ts'
import './chat.test.ts'
