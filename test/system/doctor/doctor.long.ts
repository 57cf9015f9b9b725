import '../../support/long-lane.ts'
import './doctor.test.ts'
