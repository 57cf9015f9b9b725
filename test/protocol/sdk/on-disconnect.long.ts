import '../../support/long-lane.ts'
import './on-disconnect.test.ts'
