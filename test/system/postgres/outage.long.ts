import '../../support/long-lane.ts'
import './outage.test.ts'
