import '../../support/long-lane.ts'
import './steps.test.ts'
