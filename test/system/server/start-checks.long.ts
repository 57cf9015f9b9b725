import '../../support/long-lane.ts'
import './start-checks.test.ts'
