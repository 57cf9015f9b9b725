import '../../support/long-lane.ts'
import './renewal.test.ts'
