import '../../support/long-lane.ts'
import './sign-in.test.ts'
