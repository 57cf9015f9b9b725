import '../../support/long-lane.ts'
import './socket.test.ts'
