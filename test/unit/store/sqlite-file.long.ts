import '../../support/long-lane.ts'
import './sqlite-file.test.ts'
