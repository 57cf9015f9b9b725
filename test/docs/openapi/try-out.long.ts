import '../../support/long-lane.ts'
import './try-out.test.ts'
