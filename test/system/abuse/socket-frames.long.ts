import '../../support/long-lane.ts'
import './socket-frames.test.ts'
