import '../../support/long-lane.ts'
import './power.test.ts'
