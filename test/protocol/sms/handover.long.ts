import '../../support/long-lane.ts'
import './handover.test.ts'
