import '../../support/long-lane.ts'
import './http.test.ts'
