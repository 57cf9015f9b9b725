import '../../support/long-lane.ts'
import './huge-bodies.test.ts'
