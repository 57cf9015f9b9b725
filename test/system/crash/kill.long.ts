import '../../support/long-lane.ts'
import './kill.test.ts'
