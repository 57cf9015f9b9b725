import '../../support/long-lane.ts'
import './prepared-writes.test.ts'
