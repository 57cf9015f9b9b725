import '../../support/long-lane.ts'
import './commands.test.ts'
