import '../../support/long-lane.ts'
import './idempotency.test.ts'
