import '../../support/long-lane.ts'
import './live.test.ts'
