import '../../support/long-lane.ts'
import './locked.test.ts'
