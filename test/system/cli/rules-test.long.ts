import '../../support/long-lane.ts'
import './rules-test.test.ts'
