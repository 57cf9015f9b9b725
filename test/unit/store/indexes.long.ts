import '../../support/long-lane.ts'
import './indexes.test.ts'
