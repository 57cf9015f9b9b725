import '../../support/long-lane.ts'
import './postgres-reads.test.ts'
