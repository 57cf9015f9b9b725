import '../../support/long-lane.ts'
import './printed.test.ts'
