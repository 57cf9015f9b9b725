/** What becomes of the time of a request on PostgreSQL in a larger tree. */
import type { Part } from '../harness/part.ts'
import type { Samples } from '../harness/rounds.ts'
import { type Contestant, loadInTurns } from '../load/https.ts'
import type { OperationName } from '../load/operations.ts'
import { growthOf } from '../report/growth.ts'
import { size } from '../report/numbers.ts'
import type { Goal } from '../report/row.ts'
import { dholeServer } from '../targets/dhole.ts'
import { alternating, buildOnPostgres, stockOf } from './trees.ts'

const GROWTH: Goal = { kind: 'at most', bound: 1.3 }

interface Operation {
  readonly title: string
  readonly operation: OperationName
}

const OPERATIONS: readonly Operation[] = [
  { title: 'GET leaf cold', operation: 'getLeaf' },
  { title: 'GET 20 by child, startAt, limitToFirst, cold', operation: 'queryFrom' },
  { title: 'PUT leaf, 64 clients', operation: 'putLeaf' },
]

const nameOf = (operation: OperationName, count: number) => `growth ${operation} ${size(count)}`

export const growthPart: Part = {
  prepare: (workspace, { sizes }) => buildOnPostgres(workspace, sizes),
  variants: (workspace, settings) =>
    OPERATIONS.map(({ title, operation }) => {
      const order = alternating<Contestant>()
      return {
        name: `growth of ${title}`,
        compete: async () => {
          const { certificate } = workspace
          const { sizes } = settings
          const postgres = await workspace.postgres()
          return postgres.withCopies(sizes.map(stockOf), (urls) => {
            const contestants = sizes.map((count, index): Contestant => {
              const database = { url: urls[index] ?? '', insecure: true }
              const target = dholeServer({ certificate, database, cold: true, strict: true })
              return { name: nameOf(operation, count), target, operation, size: count }
            })
            return loadInTurns(order(contestants), settings)
          })
        },
      }
    }),
  rows: (samples, { sizes }) => {
    const [smallest, largest] = [sizes[0] ?? 0, sizes.at(-1) ?? 0]
    return OPERATIONS.map(({ title, operation }) => ({
      name: `growth ${operation}`,
      operation: `growth of ${title}, HTTPS`,
      ...growthOf(timed(samples, operation, smallest), timed(samples, operation, largest), 'us'),
      goal: GROWTH,
    }))
  },
}

/** Time for one request among all that are under way, the database's included. */
function timed(samples: Samples, operation: OperationName, count: number): { count: number; values: number[] } {
  const values = samples.get(nameOf(operation, count), 'perSecond').map((perSecond) => 1_000_000 / perSecond)
  return { count, values }
}
