import '../../support/long-lane.ts'
import './resume.test.ts'
