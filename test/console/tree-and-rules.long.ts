import '../support/long-lane.ts'
import './tree-and-rules.test.ts'
