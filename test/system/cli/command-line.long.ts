import '../../support/long-lane.ts'
import './command-line.test.ts'
