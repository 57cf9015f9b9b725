/** What ordered queries cost over HTTPS, and what those cost that are refused. */

import type { Part } from '../harness/part.ts'
import { ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import { type Contestant, compareCpu, cpuOf, loadInTurns } from '../load/https.ts'
import type { OperationName } from '../load/operations.ts'
import { size } from '../report/numbers.ts'
import type { Goal, Row } from '../report/row.ts'
import { bareServe } from '../targets/bare-serve.ts'
import { dholeServer } from '../targets/dhole.ts'

const NEAR: Goal = { kind: 'at least', bound: 0.28 }
const SCATTERED: Goal = { kind: 'at least', bound: 0.2 }
const REFUSED: Goal = { kind: 'at most', bound: 1 }

const ANSWERED = [
  { title: 'GET 20 by child, limitToFirst', operation: 'queryFirst' },
  { title: 'GET 20 by child, startAt, limitToFirst', operation: 'queryFrom' },
] as const
const REFUSALS = [
  { title: 'GET refused: orderBy without quotes', operation: 'queryMalformed' },
  { title: 'GET refused: no index declared', operation: 'queryUnindexed' },
] as const
/** With the cache of finished answers, without it, and without it where the index holds the places. */
const WAYS = ['hot', 'cold', 'cold covering'] as const
type Way = (typeof WAYS)[number]

const TITLES: Readonly<Record<Way, string>> = {
  hot: 'hot',
  cold: 'cold',
  'cold covering': 'cold, from a covering index',
}

const BARE = 'https query bare'
const dholeName = (children: number, operation: OperationName, way: Way = 'cold') =>
  `https ${operation} ${way} ${size(children)}`

interface Asked {
  readonly title: string
  readonly operation: OperationName
  readonly way: Way
  readonly isRefused?: true
}

export const servedPart: Part = {
  quick: true,
  async prepare(workspace, settings) {
    const sizes = [settings.listChildren]
    await workspace.build('places', sizes)
    if (askedOf(settings).some(isCovering)) await workspace.build('covered', sizes)
  },
  variants: (workspace, settings) => [
    {
      name: 'https queries',
      compete: () => {
        const asked = askedOf(settings)
        const children = settings.listChildren
        const originals = asked.map((each) =>
          isCovering(each) ? workspace.covered(children) : workspace.places(children),
        )
        return workspace.withCopies(originals, (dataDirs) => {
          const { certificate } = workspace
          const contestants: Contestant[] = [
            { name: BARE, target: bareServe(certificate, 'places'), operation: 'queryFirst', size: children },
          ]
          for (const [index, each] of asked.entries()) {
            const { operation, way } = each
            const dataDir = dataDirs[index] ?? ''
            const cold = way !== 'hot'
            const target = dholeServer({ certificate, dataDir, strict: true, covering: isCovering(each), cold })
            contestants.push({ name: dholeName(children, operation, way), target, operation, size: children })
          }
          return loadInTurns(contestants, settings)
        })
      },
    },
  ],
  rows: (samples, settings) =>
    askedOf(settings).map(({ title, operation, way, isRefused }) =>
      isRefused
        ? refusalRow(samples, settings.listChildren, title, operation)
        : {
            name: dholeName(settings.listChildren, operation, way),
            operation: `${title} ${TITLES[way]}, HTTPS`,
            size: settings.listChildren,
            ...compareCpu(samples, dholeName(settings.listChildren, operation, way), BARE),
            // Where 20 children are read from their own rows there is no goal.
            ...(way === 'cold' ? {} : { goal: operation === 'queryFrom' ? SCATTERED : NEAR }),
          },
    ),
}

/** Loads of queries, in every way. */
function askedOf({ quick }: Settings): readonly Asked[] {
  const answered = ANSWERED.flatMap((query) => WAYS.map((way) => ({ ...query, way })))
  const refused = REFUSALS.map((query) => ({ ...query, way: 'cold', isRefused: true }) as const)
  return quick ? answered.slice(0, 1) : [...answered, ...refused]
}

function isCovering({ way }: Asked): boolean {
  return way === 'cold covering'
}

/** Its limit is a query that is answered. */
function refusalRow(samples: Samples, children: number, title: string, operation: OperationName): Row {
  const [refused, answered] = [dholeName(children, operation), dholeName(children, 'queryFirst')]
  return {
    name: refused,
    operation: `${title}, HTTPS, time over limit`,
    size: children,
    measured: cpuOf(samples, refused),
    limit: { title: 'answered', ...cpuOf(samples, answered) },
    judged: spread(ratios(samples.get(refused, 'cpuUs'), samples.get(answered, 'cpuUs'))),
    unit: 'x',
    goal: REFUSED,
  }
}
