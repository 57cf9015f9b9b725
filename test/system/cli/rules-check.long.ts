import '../../support/long-lane.ts'
import './rules-check.test.ts'
