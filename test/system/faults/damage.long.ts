import '../../support/long-lane.ts'
import './damage.test.ts'
