import '../../support/long-lane.ts'
import './silent-peers.test.ts'
