import '../../support/long-lane.ts'
import './cli-socket.test.ts'
