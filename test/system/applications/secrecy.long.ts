import '../../support/long-lane.ts'
import './secrecy.test.ts'
