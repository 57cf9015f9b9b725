import '../../support/long-lane.ts'
import './pages.test.ts'
