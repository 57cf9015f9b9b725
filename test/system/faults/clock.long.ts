import '../../support/long-lane.ts'
import './clock.test.ts'
