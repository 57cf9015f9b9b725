import '../../support/long-lane.ts'
import './cluster.test.ts'
