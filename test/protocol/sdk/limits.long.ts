import '../../support/long-lane.ts'
import './limits.test.ts'
