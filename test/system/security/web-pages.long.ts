import '../../support/long-lane.ts'
import './web-pages.test.ts'
