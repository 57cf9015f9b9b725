/** The reading half: what is measured, and the table it becomes. */
import { askChild } from '../harness/child.ts'
import { type Figures, ratios, type Samples, spread, type Variant } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { compareCpu, load } from '../load/https.ts'
import type { OperationName } from '../load/operations.ts'
import { type Goal, type Row, short, size } from '../report/table.ts'
import { bareServe, type Content } from '../targets/bare-serve.ts'
import { dholeServer } from '../targets/dhole.ts'
import type { EmbeddedReadFigures, EmbeddedReadRequest } from './embedded-read.ts'

interface Operation {
  readonly title: string
  readonly operation: OperationName
  readonly content: Content
  readonly goal: Goal | undefined
}

const OPERATIONS: readonly Operation[] = [
  { title: 'GET leaf', operation: 'getLeaf', content: 'leaf', goal: { kind: 'at least', bound: 0.8 } },
  { title: 'GET 1 KB', operation: 'getObject', content: 'object', goal: { kind: 'at least', bound: 0.8 } },
  { title: 'GET 1 MB', operation: 'getLarge', content: 'large', goal: undefined },
]
const TEMPERATURES = ['cold', 'hot'] as const
type Temperature = (typeof TEMPERATURES)[number]

const bareName = (operation: OperationName) => `https ${operation} bare`
const httpsName = (operation: OperationName, temperature: Temperature, leaves: number) =>
  `https ${operation} ${temperature} ${size(leaves)}`
const embeddedName = (temperature: Temperature, leaves: number) => `embedded read ${temperature} ${size(leaves)}`

export function readVariants(workspace: Workspace, settings: Settings): Variant[] {
  const { certificate } = workspace
  const variants: Variant[] = []
  for (const { operation, content } of OPERATIONS) {
    const bare = bareServe(certificate, content)
    const leaves = settings.sizes[0] ?? 0
    variants.push({ name: bareName(operation), run: () => load(bare, operation, leaves, settings) })
    for (const leaves of settings.sizes) {
      for (const temperature of TEMPERATURES) {
        const target = dholeServer({ certificate, dataDir: workspace.tree(leaves), cold: temperature === 'cold' })
        variants.push({
          name: httpsName(operation, temperature, leaves),
          run: () => load(target, operation, leaves, settings),
        })
      }
    }
  }
  for (const leaves of settings.sizes) {
    for (const temperature of TEMPERATURES) {
      variants.push({
        name: embeddedName(temperature, leaves),
        run: () => embedded(workspace, settings, temperature, leaves),
      })
    }
  }
  return variants
}

async function embedded(
  workspace: Workspace,
  { sliceMs, slices }: Settings,
  temperature: Temperature,
  leaves: number,
): Promise<Figures> {
  return workspace.withScratch(async (scratchDir) => {
    const cold = temperature === 'cold'
    const request: EmbeddedReadRequest = { dataDir: workspace.tree(leaves), scratchDir, leaves, cold, sliceMs, slices }
    return { ...(await askChild<EmbeddedReadFigures>('read/embedded-read.ts', request)) }
  })
}

export function readRows(samples: Samples, settings: Settings): Row[] {
  const rows: Row[] = []
  for (const { title, operation, goal } of OPERATIONS) {
    for (const temperature of TEMPERATURES) {
      for (const leaves of settings.sizes) {
        const cells = compareCpu(samples, httpsName(operation, temperature, leaves), bareName(operation))
        rows.push({ operation: `${title} ${temperature}, HTTPS`, size: leaves, ...cells, goal })
      }
    }
  }
  for (const temperature of TEMPERATURES) {
    for (const leaves of settings.sizes) rows.push(...embeddedRows(samples, temperature, leaves))
  }
  return [
    ...rows.toSorted((left, right) => (left.operation < right.operation ? -1 : 1)),
    ...growthRows(samples, settings),
  ]
}

function embeddedRows(samples: Samples, temperature: Temperature, leaves: number): Row[] {
  const name = embeddedName(temperature, leaves)
  const get = (figure: keyof EmbeddedReadFigures) => samples.get(name, figure)
  const micro = (figure: keyof EmbeddedReadFigures) => `${short(spread(get(figure)).median)} us`
  const cold = temperature === 'cold'
  return [
    {
      operation: `GET leaf ${temperature}, embedded`,
      size: leaves,
      measured: micro('leaf'),
      limit: `SQLite point read ${micro('rawLeaf')}`,
      judged: spread(ratios(get('rawLeaf'), get('leaf'))),
      unit: 'x',
    },
    {
      operation: `GET 1 KB ${temperature}, embedded`,
      size: leaves,
      measured: micro('object'),
      limit: `SQLite point read ${micro('rawObject')}`,
      judged: spread(ratios(get('rawObject'), get('object'))),
      unit: 'x',
    },
    {
      operation: `GET 1 MB ${temperature}, embedded, time over limit`,
      size: leaves,
      measured: micro('large'),
      limit: `JSON.stringify ${micro('stringify')}`,
      judged: spread(ratios(get('large'), get('stringify'))),
      unit: 'x',
      goal: cold ? { kind: 'at most', bound: 1.5 } : undefined,
    },
    {
      operation: `GET 1 MB ${temperature}, embedded, longest turn of the loop`,
      size: leaves,
      measured: `${short(spread(get('turnMs')).median)} ms`,
      limit: `idle ${short(spread(get('idleTurnMs')).median)} ms`,
      judged: spread(get('turnMs')),
      unit: 'ms',
      goal: { kind: 'at most', bound: 10 },
    },
  ]
}

/** What a leaf costs in the largest tree, in units of what it costs in the smallest. */
function growthRows(samples: Samples, { sizes }: Settings): Row[] {
  const [smallest, largest] = [sizes[0] ?? 0, sizes.at(-1) ?? 0]
  const row = (access: string, figure: string, nameOf: (leaves: number) => string): Row => {
    const [small, large] = [samples.get(nameOf(smallest), figure), samples.get(nameOf(largest), figure)]
    return {
      operation: `growth of GET leaf, ${access}`,
      size: undefined,
      measured: `${short(spread(large).median)} us at ${size(largest)}`,
      limit: `${short(spread(small).median)} us at ${size(smallest)}`,
      judged: spread(ratios(large, small)),
      unit: 'x',
      goal: { kind: 'at most', bound: 1.3 },
    }
  }
  return TEMPERATURES.flatMap((temperature) => [
    row(`${temperature}, HTTPS`, 'cpuUs', (leaves) => httpsName('getLeaf', temperature, leaves)),
    row(`${temperature}, embedded`, 'leaf', (leaves) => embeddedName(temperature, leaves)),
  ])
}
