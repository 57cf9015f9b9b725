import '../../support/long-lane.ts'
import './cli-sign.test.ts'
