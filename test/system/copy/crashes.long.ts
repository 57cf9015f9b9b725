import '../../support/long-lane.ts'
import './crashes.test.ts'
