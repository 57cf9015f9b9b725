import '../../support/long-lane.ts'
import './applications.test.ts'
