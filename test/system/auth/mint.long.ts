import '../../support/long-lane.ts'
import './mint.test.ts'
