import '../../support/long-lane.ts'
import './first-start.test.ts'
