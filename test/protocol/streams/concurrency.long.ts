import '../../support/long-lane.ts'
import './concurrency.test.ts'
