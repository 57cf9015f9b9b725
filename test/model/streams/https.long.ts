import '../../support/long-lane.ts'
import './https.test.ts'
