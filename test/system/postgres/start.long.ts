import '../../support/long-lane.ts'
import './start.test.ts'
