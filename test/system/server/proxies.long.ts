import '../../support/long-lane.ts'
import './proxies.test.ts'
