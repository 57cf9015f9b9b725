import { enterLongLane } from './lane.ts'

enterLongLane()
