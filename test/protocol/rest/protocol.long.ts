import '../../support/long-lane.ts'
import './protocol.test.ts'
