import '../../support/long-lane.ts'
import './disk.test.ts'
