/** What ordered queries cost over HTTPS, and what those cost that are refused. */
import { compareCpu, cpuCell, load } from './https.ts'
import type { OperationName } from './operations.ts'
import { LIST_CHILDREN } from './places.ts'
import type { QueryPart } from './query-part.ts'
import type { Goal, Row } from './report.ts'
import { ratios, type Samples, spread } from './rounds.ts'
import { bareServe } from './targets/bare-serve.ts'
import { dholeServer } from './targets/dhole.ts'

const SERVED: Goal = { kind: 'at least', bound: 0.3 }
const REFUSED: Goal = { kind: 'at most', bound: 1 }

const ANSWERED = [
  { title: 'GET 20 by child, limitToFirst', operation: 'queryFirst' },
  { title: 'GET 20 by child, startAt, limitToFirst', operation: 'queryFrom' },
] as const
const REFUSALS = [
  { title: 'GET refused: orderBy without quotes', operation: 'queryMalformed' },
  { title: 'GET refused: no index declared', operation: 'queryUnindexed' },
] as const
const BARE = 'https query bare'
const httpsName = (operation: OperationName) => `https ${operation} ${LIST_CHILDREN}`

export const httpsPart: QueryPart = {
  variants(workspace, settings) {
    const { certificate } = workspace
    const bare = bareServe(certificate, 'places')
    const dhole = dholeServer({ certificate, dataDir: workspace.places(LIST_CHILDREN), strict: true })
    return [
      { name: BARE, run: () => load(bare, 'queryFirst', LIST_CHILDREN, settings) },
      ...[...ANSWERED, ...REFUSALS].map(({ operation }) => ({
        name: httpsName(operation),
        run: () => load(dhole, operation, LIST_CHILDREN, settings),
      })),
    ]
  },
  rows: (samples) => [
    ...ANSWERED.map(({ title, operation }): Row => {
      const cells = compareCpu(samples, httpsName(operation), BARE)
      return { operation: `${title}, HTTPS`, size: LIST_CHILDREN, ...cells, goal: SERVED }
    }),
    ...REFUSALS.map(({ title, operation }) => refusalRow(samples, title, operation)),
  ],
}

/** Its limit is a query that is answered. */
function refusalRow(samples: Samples, title: string, operation: OperationName): Row {
  const [refused, answered] = [httpsName(operation), httpsName('queryFirst')]
  return {
    operation: `${title}, HTTPS, time over limit`,
    size: LIST_CHILDREN,
    measured: cpuCell(samples, refused),
    limit: `answered ${cpuCell(samples, answered)}`,
    judged: spread(ratios(samples.get(refused, 'cpuUs'), samples.get(answered, 'cpuUs'))),
    unit: 'x',
    goal: REFUSED,
  }
}
