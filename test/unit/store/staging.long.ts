import '../../support/long-lane.ts'
import './staging.test.ts'
