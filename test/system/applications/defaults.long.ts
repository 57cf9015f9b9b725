import '../../support/long-lane.ts'
import './defaults.test.ts'
