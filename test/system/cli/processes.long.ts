import '../../support/long-lane.ts'
import './processes.test.ts'
