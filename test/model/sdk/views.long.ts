import '../../support/long-lane.ts'
import './views.test.ts'
