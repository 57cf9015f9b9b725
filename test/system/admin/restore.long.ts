import '../../support/long-lane.ts'
import './restore.test.ts'
