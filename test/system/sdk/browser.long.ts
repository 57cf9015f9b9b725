import '../../support/long-lane.ts'
import './browser.test.ts'
