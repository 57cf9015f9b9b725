import '../../support/long-lane.ts'
import './refusals.test.ts'
