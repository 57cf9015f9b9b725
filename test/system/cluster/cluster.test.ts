import { expect, test } from 'bun:test'
import { inLanes } from '../../support/lane.ts'
import { whyNoOwnPostgres } from '../../support/postgres/owned-server.ts'
import { whyNoSmallDisk } from '../../support/postgres/small-disk.ts'
import { type FaultKind, USUAL } from './faults.ts'
import { runCluster } from './run.ts'

/** Each kind that ends a process, and connections that are cut while they commit. */
const FEW: Readonly<Partial<Record<FaultKind, number>>> = {
  'behind a commit': 3,
  'killed process': 1,
  'killed PostgreSQL': 1,
  promotion: 1,
}
const FAULTS = inLanes(6, 1000)
/** Where few are of a kind, rounding adds some or leaves some out. */
const LEAST = inLanes(6, 990)

if (whyNoSmallDisk !== undefined) process.stderr.write(`${whyNoSmallDisk}: a full disk is not tried\n`)

test.skipIf(whyNoOwnPostgres !== undefined)(
  whyNoOwnPostgres ?? 'what three processes on one PostgreSQL have told holds through faults',
  async () => {
    const result = await runCluster({ seed: 1, faults: FAULTS, shares: inLanes(FEW, USUAL) })
    expect(result.problems.slice(0, 20)).toEqual([])
    expect([...result.faults.values()].reduce((sum, number) => sum + number, 0)).toBeGreaterThanOrEqual(LEAST)
    expect(result.acknowledged).toBeGreaterThan(0)
    expect(result.told).toBeGreaterThan(0)
    expect(result.messages).toBeGreaterThan(0)
  },
  1_800_000,
)
