import '../../support/long-lane.ts'
import './sqlite.test.ts'
