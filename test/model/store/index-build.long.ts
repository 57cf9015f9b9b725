import '../../support/long-lane.ts'
import './index-build.test.ts'
