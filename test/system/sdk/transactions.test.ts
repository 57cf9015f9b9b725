import { inLanes } from '../../support/lane.ts'
import { withServer } from '../../support/with-server.ts'
import { contendersCount } from './runner/contenders.ts'

const server = withServer()

contendersCount(
  () => [server],
  inLanes({ processes: 1, clients: 8, each: 12 }, { processes: 8, clients: 1, each: 198 }),
  inLanes(60_000, 600_000),
)
