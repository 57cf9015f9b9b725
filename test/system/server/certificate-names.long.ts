import '../../support/long-lane.ts'
import './certificate-names.test.ts'
