import '../../support/long-lane.ts'
import './terminal.test.ts'
