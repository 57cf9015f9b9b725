import '../../support/long-lane.ts'
import './rotation.test.ts'
