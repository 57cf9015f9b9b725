import { expect, test } from 'bun:test'
import { whyNoOwnPostgres } from '../../support/postgres/owned-server.ts'
import type { FaultKind } from './faults.ts'
import { runCluster } from './run.ts'

const SHARES: Partial<Record<FaultKind, number>> = { 'behind a commit': 3, now: 1 }
/** Runs, each with another seed, in which a fault must show. */
const MOST_RUNS = 4

test.skipIf(whyNoOwnPostgres !== undefined).each([
  ['a commit without the check of its stamp', /: acknowledged \(200\)( with a key)?.* done 0 times/],
  ['doubt taken for failure', /done 2 times|put \d+ times/],
  ['reads without the question whether they are fresh', /^GET .*: too old/],
  ['batches applied in the wrong order', /^stream of .*: told \d+ .* after \d+/],
] as const)(
  `the checks find %s${whyNoOwnPostgres === undefined ? '' : ` (skipped: ${whyNoOwnPostgres})`}`,
  async (planted, expected) => {
    for (let seed = 1; seed <= MOST_RUNS; seed++) {
      const { problems } = await runCluster({ seed, faults: 40, shares: SHARES, planted })
      if (problems.some((problem) => expected.test(problem))) return
    }
    expect(`nothing like ${expected}`).toBe('found')
  },
  240_000,
)
