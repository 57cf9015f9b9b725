import '../../support/long-lane.ts'
import './power-loss.test.ts'
