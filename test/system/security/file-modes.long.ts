import '../../support/long-lane.ts'
import './file-modes.test.ts'
