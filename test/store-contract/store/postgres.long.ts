import '../../support/long-lane.ts'
import './postgres.test.ts'
