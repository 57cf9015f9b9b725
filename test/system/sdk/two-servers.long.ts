import '../../support/long-lane.ts'
import { describe } from 'bun:test'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { withTwoServers } from '../database/two-servers.ts'
import { contendersCount } from './runner/contenders.ts'
import { runScenarios, SCENARIO_SETTINGS, useScenarioRules } from './runner/scenario-tests.ts'
import { CURRENT } from './runner/sdk-versions.ts'
import { ACCESS } from './scenarios/access.ts'
import { DATA } from './scenarios/data.ts'
import { LIVE } from './scenarios/live.ts'
import { CHOICES } from './scenarios/queries.ts'
import { MANY_LISTENS, TOGETHER } from './scenarios/together.ts'

/** The clients of each scenario are connected to both in turn. */
describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'clients of two servers on one PostgreSQL', () => {
  const servers = withTwoServers(SCENARIO_SETTINGS)
  const both = () => [servers.one, servers.two]
  useScenarioRules(() => servers.one)

  runScenarios(both, CURRENT, 'node', { ...DATA, ...LIVE, ...CHOICES, ...TOGETHER, ...MANY_LISTENS, ...ACCESS })
  contendersCount(both, { processes: 8, clients: 1, each: 60 })
})
