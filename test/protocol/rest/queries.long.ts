import '../../support/long-lane.ts'
import './queries.test.ts'
