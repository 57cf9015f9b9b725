import '../../support/long-lane.ts'
import './model.test.ts'
