import '../../support/long-lane.ts'
import './transfer.test.ts'
