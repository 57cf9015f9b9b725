import '../../support/long-lane.ts'
import './end.test.ts'
