import '../../support/long-lane.ts'
import './whole-export.test.ts'
