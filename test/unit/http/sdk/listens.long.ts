import '../../../support/long-lane.ts'
import './listens.test.ts'
