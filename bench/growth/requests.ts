/** What requests over HTTPS cost the server in trees and lists of every size. */
import type { Part } from '../harness/part.ts'
import type { Workspace } from '../harness/workspace.ts'
import { type Contestant, cpuOf, loadInTurns } from '../load/https.ts'
import type { OperationName } from '../load/operations.ts'
import { growthOf } from '../report/growth.ts'
import type { Row } from '../report/row.ts'
import { dholeServer } from '../targets/dhole.ts'
import { sizeRow } from './size-row.ts'

interface Operation {
  readonly title: string
  readonly name: string
  readonly operation: OperationName
  /** What is asked. */
  readonly stock: 'tree' | 'places'
  /** Without the cache of finished text. */
  readonly cold: boolean
}

const OPERATIONS: readonly Operation[] = [
  { title: 'GET leaf hot', name: 'GET hot', operation: 'getLeaf', stock: 'tree', cold: false },
  { title: 'GET leaf cold', name: 'GET cold', operation: 'getLeaf', stock: 'tree', cold: true },
  { title: 'PUT leaf, 64 clients', name: 'PUT', operation: 'putLeaf', stock: 'tree', cold: false },
  { title: 'GET 20 by child, cold', name: 'query', operation: 'queryFrom', stock: 'places', cold: true },
]

const variantOf = ({ name }: Operation, size: number) => `growth ${name} ${size}`

export const requestsPart: Part = {
  async prepare(workspace, { growthSizes }) {
    await workspace.build('tree', growthSizes)
    await workspace.build('places', growthSizes)
  },
  variants: (workspace, settings) =>
    OPERATIONS.map((asked) => ({
      name: `growth ${asked.name}`,
      compete: () => {
        const sizes = settings.growthSizes
        const originals = sizes.map((size) => originalOf(workspace, asked, size))
        return workspace.withCopies(originals, (dataDirs) => {
          const contestants = sizes.map((size, index) => contestant(workspace, asked, size, dataDirs[index] ?? ''))
          return loadInTurns(contestants, settings)
        })
      },
    })),
  rows: (samples, { growthSizes }) =>
    OPERATIONS.flatMap((asked): Row[] => {
      const cpu = (count: number) => ({ count, values: samples.get(variantOf(asked, count), 'cpuUs') })
      const [smallest, largest] = [growthSizes[0] ?? 0, growthSizes.at(-1) ?? 0]
      return [
        ...growthSizes.map((size) => {
          const variant = variantOf(asked, size)
          return sizeRow(variant, `${asked.title}, HTTPS`, size, cpuOf(samples, variant), samples.get(variant, 'cpuUs'))
        }),
        {
          name: `growth ${asked.name}`,
          operation: `growth of ${asked.title}, HTTPS`,
          ...growthOf(cpu(smallest), cpu(largest), 'us CPU'),
        },
      ]
    }),
}

function originalOf(workspace: Workspace, { stock }: Operation, size: number): string {
  return stock === 'tree' ? workspace.tree(size) : workspace.places(size)
}

function contestant({ certificate }: Workspace, asked: Operation, size: number, dataDir: string): Contestant {
  const { operation, cold, stock } = asked
  const target = dholeServer({ certificate, dataDir, cold, strict: stock === 'places' })
  return { name: variantOf(asked, size), target, operation, size }
}
