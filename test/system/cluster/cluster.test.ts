import { expect, test } from 'bun:test'
import { inLanes } from '../../support/lane.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { runCluster } from './run.ts'

const FAULTS = inLanes(12, 1000)

test.skipIf(whyNoPostgres !== undefined)(
  'what three processes on one PostgreSQL have told holds through faults',
  async () => {
    const result = await runCluster({ seed: 1, faults: FAULTS })
    console.log(result)
    expect(result.problems.slice(0, 20)).toEqual([])
  },
  600_000,
)
