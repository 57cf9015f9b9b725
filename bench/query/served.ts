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
const TEMPERATURES = ['hot', 'cold'] as const
type Temperature = (typeof TEMPERATURES)[number]

const BARE = 'https query bare'
const dholeName = (children: number, operation: OperationName, temperature: Temperature = 'cold') =>
  `https ${operation} ${temperature} ${size(children)}`

interface Asked {
  readonly title: string
  readonly operation: OperationName
  readonly temperature: Temperature
  readonly isRefused?: true
}

export const servedPart: Part = {
  quick: true,
  prepare: (workspace, { listChildren }) => workspace.build('places', [listChildren]),
  variants: (workspace, settings) => [
    {
      name: 'https queries',
      compete: () => {
        const asked = askedOf(settings)
        const originals = asked.map(() => workspace.places(settings.listChildren))
        return workspace.withCopies(originals, (dataDirs) => {
          const { certificate } = workspace
          const children = settings.listChildren
          const contestants: Contestant[] = [
            { name: BARE, target: bareServe(certificate, 'places'), operation: 'queryFirst', size: children },
          ]
          for (const [index, { operation, temperature }] of asked.entries()) {
            const cold = temperature === 'cold'
            const target = dholeServer({ certificate, dataDir: dataDirs[index] ?? '', strict: true, cold })
            contestants.push({ name: dholeName(children, operation, temperature), target, operation, size: children })
          }
          return loadInTurns(contestants, settings)
        })
      },
    },
  ],
  rows: (samples, settings) =>
    askedOf(settings).map(({ title, operation, temperature, isRefused }) =>
      isRefused
        ? refusalRow(samples, settings.listChildren, title, operation)
        : {
            name: dholeName(settings.listChildren, operation, temperature),
            operation: `${title} ${temperature}, HTTPS`,
            size: settings.listChildren,
            ...compareCpu(samples, dholeName(settings.listChildren, operation, temperature), BARE),
            goal: operation === 'queryFrom' ? SCATTERED : NEAR,
          },
    ),
}

/** Loads of queries, with the cache of finished answers and without. */
function askedOf({ quick }: Settings): readonly Asked[] {
  const answered = ANSWERED.flatMap((query) => TEMPERATURES.map((temperature) => ({ ...query, temperature })))
  const refused = REFUSALS.map((query) => ({ ...query, temperature: 'cold', isRefused: true }) as const)
  return quick ? answered.slice(0, 1) : [...answered, ...refused]
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
