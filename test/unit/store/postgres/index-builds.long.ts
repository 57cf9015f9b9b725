import '../../../support/long-lane.ts'
import './index-builds.test.ts'
