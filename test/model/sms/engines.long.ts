import '../../support/long-lane.ts'
import './engines.test.ts'
