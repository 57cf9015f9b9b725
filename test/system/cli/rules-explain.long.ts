import '../../support/long-lane.ts'
import './rules-explain.test.ts'
