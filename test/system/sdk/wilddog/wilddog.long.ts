import '../../../support/long-lane.ts'
import './wilddog.test.ts'
