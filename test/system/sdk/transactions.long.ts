import '../../support/long-lane.ts'
import './transactions.test.ts'
