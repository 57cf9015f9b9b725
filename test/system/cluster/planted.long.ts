import { expect, test } from 'bun:test'
import { whyNoOwnPostgres } from '../../support/postgres/owned-server.ts'
import { type Plan, runCluster } from './run.ts'

/** What happens in a run in which a fault must show. */
type Course = Pick<Plan, 'faults' | 'shares' | 'calmMs'>

const CUTS: Course = { faults: 40, shares: { 'behind a commit': 3, now: 1 } }
/** There must be something to lose. */
const KILLS: Course = { faults: 120, shares: { slow: 39, 'killed PostgreSQL': 1 } }
/** What is told twice after a fault is right. */
const CALM: Course = { faults: 0, shares: {}, calmMs: 10_000 }
/** Runs, each with another seed, of which one must show it. */
const MOST_RUNS = 12

test.skipIf(whyNoOwnPostgres !== undefined).each<[planted: string, course: Course, expected: RegExp]>([
  ['a commit without the check of its stamp', CUTS, /: acknowledged \(200\)( with a key)?.* done 0 times/],
  ['doubt taken for failure', CUTS, /done 2 times|put \d+ times/],
  ['reads without the question whether they are fresh', CUTS, /^GET .*: too old/],
  ['a cache that takes texts without a look at later batches', CALM, /^GET .*: too old/],
  ['batches applied in the wrong order', CUTS, /^stream of .*: told \d+ .* after \d+/],
  ['a database that acknowledges what it has not synced', KILLS, /: acknowledged .* done 0 times/],
  ['leases that keep no other process off', CALM, /: told again at/],
])(
  `the checks find %s${whyNoOwnPostgres === undefined ? '' : ` (skipped: ${whyNoOwnPostgres})`}`,
  async (planted, course, expected) => {
    for (let seed = 1; seed <= MOST_RUNS; seed++) {
      const { problems } = await runCluster({ seed, planted, ...course })
      if (problems.some((problem) => expected.test(problem))) return
    }
    expect(`nothing like ${expected}`).toBe('found')
  },
  1_800_000,
)
