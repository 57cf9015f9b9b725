import '../../support/long-lane.ts'
import './rows.test.ts'
