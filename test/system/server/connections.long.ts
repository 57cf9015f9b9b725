import '../../support/long-lane.ts'
import './connections.test.ts'
