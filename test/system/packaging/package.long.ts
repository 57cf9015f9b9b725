import '../../support/long-lane.ts'
import './package.test.ts'
