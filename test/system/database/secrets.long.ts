import '../../support/long-lane.ts'
import './secrets.test.ts'
