import '../../support/long-lane.ts'
import './completion.test.ts'
