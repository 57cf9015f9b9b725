import '../../support/long-lane.ts'
import './server.test.ts'
