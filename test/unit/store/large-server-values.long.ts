import '../../support/long-lane.ts'
import './large-server-values.test.ts'
