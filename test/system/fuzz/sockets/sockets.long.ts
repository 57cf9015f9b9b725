import '../../../support/long-lane.ts'
import './sockets.test.ts'
