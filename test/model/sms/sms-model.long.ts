import '../../support/long-lane.ts'
import './sms-model.test.ts'
