import '../../support/long-lane.ts'
import './stream.test.ts'
