import '../../support/long-lane.ts'
import './soak.test.ts'
