import '../../support/long-lane.ts'
import './metrics.test.ts'
