import '../../support/long-lane.ts'
import './embedded.test.ts'
