import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import { whyNoOwnPostgres } from '../../support/postgres/owned-server.ts'
import { whyNoSmallDisk } from '../../support/postgres/small-disk.ts'
import { USUAL } from './faults.ts'
import { runCluster } from './run.ts'

if (whyNoSmallDisk !== undefined) process.stderr.write(`${whyNoSmallDisk}: a full disk is not tried\n`)

test.skipIf(whyNoOwnPostgres !== undefined)(
  whyNoOwnPostgres ?? 'what three processes on one PostgreSQL have told holds through faults',
  async () => {
    const result = await runCluster({ seed: 1, faults: 1000, shares: USUAL })
    expect(result.problems.slice(0, 20)).toEqual([])
    expect([...result.faults.values()].reduce((sum, number) => sum + number, 0)).toBeGreaterThanOrEqual(990)
    expect(result.acknowledged).toBeGreaterThan(0)
    expect(result.told).toBeGreaterThan(0)
    expect(result.messages).toBeGreaterThan(0)
  },
  1_800_000,
)
