import '../../support/long-lane.ts'
import './query.test.ts'
