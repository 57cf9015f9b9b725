import '../../support/long-lane.ts'
import './backup.test.ts'
