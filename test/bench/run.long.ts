import '../support/long-lane.ts'
import './run.test.ts'
