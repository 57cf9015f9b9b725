import '../../support/long-lane.ts'
import './stop.test.ts'
