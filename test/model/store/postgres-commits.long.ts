import '../../support/long-lane.ts'
import './postgres-commits.test.ts'
