/** What ordered queries cost over HTTPS, and what those cost that are refused. */

import type { Part } from '../harness/part.ts'
import { ratios, type Samples, spread } from '../harness/rounds.ts'
import { compareCpu, cpuCell, load } from '../load/https.ts'
import type { OperationName } from '../load/operations.ts'
import type { Goal, Row } from '../report/table.ts'
import { LIST_CHILDREN } from '../stock/places.ts'
import { bareServe } from '../targets/bare-serve.ts'
import { dholeServer } from '../targets/dhole.ts'

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
const TEMPERATURES = ['cold', 'hot'] as const
type Temperature = (typeof TEMPERATURES)[number]

const BARE = 'https query bare'
const httpsName = (operation: OperationName, temperature: Temperature = 'cold') =>
  `https ${operation} ${temperature} ${LIST_CHILDREN}`

export const httpsPart: Part = {
  variants(workspace, settings) {
    const { certificate } = workspace
    const bare = bareServe(certificate, 'places')
    const dhole = (temperature: Temperature) =>
      dholeServer({
        certificate,
        dataDir: workspace.places(LIST_CHILDREN),
        strict: true,
        cold: temperature === 'cold',
      })
    const variant = (operation: OperationName, temperature: Temperature) => ({
      name: httpsName(operation, temperature),
      run: () => load(dhole(temperature), operation, LIST_CHILDREN, settings),
    })
    return [
      { name: BARE, run: () => load(bare, 'queryFirst', LIST_CHILDREN, settings) },
      ...ANSWERED.flatMap(({ operation }) => TEMPERATURES.map((temperature) => variant(operation, temperature))),
      ...REFUSALS.map(({ operation }) => variant(operation, 'cold')),
    ]
  },
  rows: (samples) => [
    ...ANSWERED.flatMap(({ title, operation }) =>
      TEMPERATURES.map((temperature): Row => {
        const cells = compareCpu(samples, httpsName(operation, temperature), BARE)
        return { operation: `${title} ${temperature}, HTTPS`, size: LIST_CHILDREN, ...cells, goal: SERVED }
      }),
    ),
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
