import '../../support/long-lane.ts'
import './time-and-memory.test.ts'
