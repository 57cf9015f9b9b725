import '../../support/long-lane.ts'
import './long-answers.test.ts'
