import '../../support/long-lane.ts'
import './backups.test.ts'
