/** What writes over HTTPS cost the server, each acknowledged when it is durable. */
import type { Part } from '../harness/part.ts'
import type { Samples } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import { type Contestant, compareCpu, loadInTurns } from '../load/https.ts'
import type { OperationName } from '../load/operations.ts'
import { growthOf } from '../report/growth.ts'
import { size } from '../report/numbers.ts'
import type { Goal, Row } from '../report/row.ts'
import { bareServe } from '../targets/bare-serve.ts'
import { dholeServer } from '../targets/dhole.ts'

interface Operation {
  readonly title: string
  readonly operation: OperationName
  readonly goal: Goal | undefined
}

const OPERATIONS: readonly Operation[] = [
  { title: 'PUT 1 KB, 64 clients, HTTPS', operation: 'putObject', goal: { kind: 'at least', bound: 0.22 } },
  { title: 'PUT leaf, 64 clients, HTTPS', operation: 'putLeaf', goal: { kind: 'at least', bound: 0.3 } },
  { title: 'PUT 1 MB, one client, HTTPS', operation: 'putLarge', goal: { kind: 'at least', bound: 0.06 } },
]
const GROWTH: Goal = { kind: 'at most', bound: 1.3 }

const bareName = (operation: OperationName) => `https ${operation} bare`
const dholeName = (operation: OperationName, leaves: number) => `https ${operation} ${size(leaves)}`

export const servedPart: Part = {
  quick: true,
  prepare: (workspace, { sizes }) => workspace.build('tree', sizes),
  variants: (workspace, settings) =>
    operationsOf(settings).map(({ operation }) => ({
      name: `https ${operation}`,
      compete: () =>
        workspace.withCopies(
          settings.sizes.map((leaves) => workspace.tree(leaves)),
          (dataDirs) => {
            const { certificate } = workspace
            const [smallest = 0] = settings.sizes
            const bare = bareServe(certificate, 'leaf')
            const contestants: Contestant[] = [{ name: bareName(operation), target: bare, operation, size: smallest }]
            for (const [index, leaves] of settings.sizes.entries()) {
              const target = dholeServer({ certificate, dataDir: dataDirs[index] ?? '' })
              contestants.push({ name: dholeName(operation, leaves), target, operation, size: leaves })
            }
            return loadInTurns(contestants, settings)
          },
        ),
    })),
  rows: (samples, settings) => [
    ...operationsOf(settings).flatMap(({ title, operation, goal }) =>
      settings.sizes.map((leaves): Row => {
        const name = dholeName(operation, leaves)
        const cells = compareCpu(samples, name, bareName(operation))
        return { name, operation: title, size: leaves, ...cells, goal }
      }),
    ),
    ...(settings.quick ? [] : [growthRow(samples, settings)]),
  ],
}

function operationsOf({ quick }: Settings): readonly Operation[] {
  return quick ? OPERATIONS.slice(0, 1) : OPERATIONS
}

/** What a leaf costs in the largest tree, in units of what it costs in the smallest. */
function growthRow(samples: Samples, { sizes }: Settings): Row {
  const [smallest, largest] = [sizes[0] ?? 0, sizes.at(-1) ?? 0]
  const cpu = (count: number) => ({ count, values: samples.get(dholeName('putLeaf', count), 'cpuUs') })
  return {
    name: 'https putLeaf growth',
    operation: 'growth of PUT leaf, 64 clients, HTTPS',
    ...growthOf(cpu(smallest), cpu(largest), 'us CPU'),
    goal: GROWTH,
  }
}
