import '../../support/long-lane.ts'
import './fuzz.test.ts'
