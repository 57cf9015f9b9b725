/** What a GET over HTTPS costs the server. */
import type { Part } from '../harness/part.ts'
import type { Samples } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import { type Contestant, compareCpu, loadInTurns } from '../load/https.ts'
import type { OperationName } from '../load/operations.ts'
import { growthOf } from '../report/growth.ts'
import { size } from '../report/numbers.ts'
import type { Goal, Row } from '../report/row.ts'
import { bareServe, type Content } from '../targets/bare-serve.ts'
import { dholeServer } from '../targets/dhole.ts'

const GROWTH: Goal = { kind: 'at most', bound: 1.3 }
const TEMPERATURES = ['cold', 'hot'] as const
type Temperature = (typeof TEMPERATURES)[number]

interface Operation {
  readonly title: string
  readonly operation: OperationName
  readonly content: Content
  readonly goals: Readonly<Record<Temperature, Goal | undefined>>
}

const GOALS = {
  cold: { kind: 'at least', bound: 0.7 },
  hot: { kind: 'at least', bound: 0.82 },
} as const
const OPERATIONS: readonly Operation[] = [
  { title: 'GET leaf', operation: 'getLeaf', content: 'leaf', goals: GOALS },
  { title: 'GET 1 KB', operation: 'getObject', content: 'object', goals: GOALS },
  { title: 'GET 1 MB', operation: 'getLarge', content: 'large', goals: { cold: undefined, hot: undefined } },
]

const bareName = (operation: OperationName) => `https ${operation} bare`
const dholeName = (operation: OperationName, temperature: Temperature, leaves: number) =>
  `https ${operation} ${temperature} ${size(leaves)}`

export const servedPart: Part = {
  prepare: (workspace, { sizes }) => workspace.build('tree', sizes),
  variants: (workspace, settings) =>
    OPERATIONS.map(({ operation, content }) => ({
      name: `https ${operation}`,
      compete: () => {
        const trees = treesOf(settings)
        const originals = trees.map(({ leaves }) => workspace.tree(leaves))
        return workspace.withCopies(originals, (dataDirs) => {
          const { certificate } = workspace
          const [smallest = 0] = settings.sizes
          const bare = bareServe(certificate, content)
          const contestants: Contestant[] = [{ name: bareName(operation), target: bare, operation, size: smallest }]
          for (const [index, { leaves, temperature }] of trees.entries()) {
            const target = dholeServer({ certificate, dataDir: dataDirs[index] ?? '', cold: temperature === 'cold' })
            contestants.push({ name: dholeName(operation, temperature, leaves), target, operation, size: leaves })
          }
          return loadInTurns(contestants, settings)
        })
      },
    })),
  rows: (samples, settings) => [
    ...OPERATIONS.flatMap(({ title, operation, goals }) =>
      treesOf(settings).map(({ leaves, temperature }): Row => {
        const name = dholeName(operation, temperature, leaves)
        const cells = compareCpu(samples, name, bareName(operation))
        return { name, operation: `${title} ${temperature}, HTTPS`, size: leaves, ...cells, goal: goals[temperature] }
      }),
    ),
    ...(settings.quick ? [] : TEMPERATURES.map((temperature) => growthRow(samples, settings, temperature))),
  ],
}

/** What is read from: trees of every size, with the cache of finished text and without. */
function treesOf({ sizes }: Settings): { readonly temperature: Temperature; readonly leaves: number }[] {
  return TEMPERATURES.flatMap((temperature) => sizes.map((leaves) => ({ temperature, leaves })))
}

/** What a leaf costs in the largest tree, in units of what it costs in the smallest. */
function growthRow(samples: Samples, { sizes }: Settings, temperature: Temperature): Row {
  const [smallest, largest] = [sizes[0] ?? 0, sizes.at(-1) ?? 0]
  const cpu = (count: number) => ({ count, values: samples.get(dholeName('getLeaf', temperature, count), 'cpuUs') })
  return {
    name: `https getLeaf ${temperature} growth`,
    operation: `growth of GET leaf, ${temperature}, HTTPS`,
    ...growthOf(cpu(smallest), cpu(largest), 'us CPU'),
    goal: GROWTH,
  }
}
