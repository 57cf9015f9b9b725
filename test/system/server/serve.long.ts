import '../../support/long-lane.ts'
import './serve.test.ts'
