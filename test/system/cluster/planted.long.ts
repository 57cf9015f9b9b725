import { expect, test } from 'bun:test'
import { whyNoOwnPostgres } from '../../support/postgres/owned-server.ts'
import type { FaultKind } from './faults.ts'
import { runCluster } from './run.ts'

type Shares = Partial<Record<FaultKind, number>>

const CUTS: Shares = { 'behind a commit': 3, now: 1 }
const CRASHES: Shares = { 'killed PostgreSQL': 1 }
/** Runs, each with another seed, in which a fault must show. */
const MOST_RUNS = 4

test
  .skipIf(whyNoOwnPostgres !== undefined)
  .each<readonly [planted: string, expected: RegExp, shares: Shares, faults: number]>([
    ['a commit without the check of its stamp', /: acknowledged \(200\)( with a key)?.* done 0 times/, CUTS, 40],
    ['doubt taken for failure', /done 2 times|put \d+ times/, CUTS, 40],
    ['reads without the question whether they are fresh', /^GET .*: too old/, CUTS, 40],
    ['texts kept from before the batch that is applied', /^GET .*: too old/, CUTS, 40],
    ['commits that PostgreSQL does not flush', /: acknowledged \(200\)( with a key)?.* done 0 times/, CRASHES, 8],
    ['batches applied in the wrong order', /^stream of .*: told \d+ .* after \d+/, CUTS, 40],
  ])(
  `the checks find %s${whyNoOwnPostgres === undefined ? '' : ` (skipped: ${whyNoOwnPostgres})`}`,
  async (planted, expected, shares, faults) => {
    for (let seed = 1; seed <= MOST_RUNS; seed++) {
      const { problems } = await runCluster({ seed, faults, shares, planted })
      if (problems.some((problem) => expected.test(problem))) return
    }
    expect(`nothing like ${expected}`).toBe('found')
  },
  240_000,
)
