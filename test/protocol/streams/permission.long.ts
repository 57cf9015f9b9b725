import '../../support/long-lane.ts'
import './permission.test.ts'
