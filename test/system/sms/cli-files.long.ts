import '../../support/long-lane.ts'
import './cli-files.test.ts'
