import { expect, test } from 'bun:test'
import { inLanes } from '../../support/lane.ts'
import { whyNoOwnPostgres } from '../../support/postgres/owned-server.ts'
import { whyNoSmallDisk } from '../../support/postgres/small-disk.ts'
import { type FaultKind, USUAL } from './faults.ts'
import { runCluster } from './run.ts'

/** Faults that are over soon. */
const QUICK: Partial<Record<FaultKind, number>> = {
  'behind a commit': 4,
  'before a late commit': 2,
  now: 1,
  clock: 2,
  'stopped process': 1,
  'killed process': 1,
  'crash of PostgreSQL': 1,
}

if (whyNoSmallDisk !== undefined) process.stderr.write(`${whyNoSmallDisk}: a full disk is not tried\n`)

test.skipIf(whyNoOwnPostgres !== undefined)(
  whyNoOwnPostgres ?? 'what three processes on one PostgreSQL have told holds through faults',
  async () => {
    const result = await runCluster({ seed: 1, faults: inLanes(12, 1000), shares: inLanes(QUICK, USUAL) })
    expect(result.problems.slice(0, 20)).toEqual([])
    expect([...result.faults.values()].reduce((sum, number) => sum + number, 0)).toBeGreaterThanOrEqual(
      inLanes(12, 990),
    )
    expect(result.acknowledged).toBeGreaterThan(0)
    expect(result.told).toBeGreaterThan(0)
    expect(result.messages).toBeGreaterThan(0)
  },
  inLanes(300_000, 1_800_000),
)
