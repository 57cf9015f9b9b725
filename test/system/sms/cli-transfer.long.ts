import '../../support/long-lane.ts'
import './cli-transfer.test.ts'
