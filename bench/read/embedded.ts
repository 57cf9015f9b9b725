/** What reading costs without HTTP. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { growthOf } from '../report/growth.ts'
import { size } from '../report/numbers.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import type { EmbeddedReadFigures, EmbeddedReadRequest } from './embedded-read.ts'

const PRINTED: Goal = { kind: 'at most', bound: 1.2 }
const LONGEST: Goal = { kind: 'at most', bound: 10 }
const GROWTH: Goal = { kind: 'at most', bound: 1.3 }
const TEMPERATURES = ['cold', 'hot'] as const
type Temperature = (typeof TEMPERATURES)[number]

const embeddedName = (temperature: Temperature, leaves: number) => `embedded read ${temperature} ${size(leaves)}`

export const embeddedPart: Part = {
  quick: true,
  prepare: (workspace, { sizes }) => workspace.build('tree', sizes),
  variants: (workspace, settings) =>
    settings.sizes.flatMap((leaves) =>
      temperaturesOf(settings).map((temperature) => ({
        name: embeddedName(temperature, leaves),
        run: () => readEmbedded(workspace, settings, temperature, leaves),
      })),
    ),
  rows: (samples, settings) => {
    const temperatures = temperaturesOf(settings)
    const rows = temperatures.flatMap((temperature) =>
      settings.sizes.flatMap((leaves) => embeddedRows(samples, temperature, leaves)),
    )
    return [
      ...rows.toSorted((left, right) => (left.operation < right.operation ? -1 : 1)),
      ...(settings.quick ? [] : temperatures.map((temperature) => growthRow(samples, settings, temperature))),
    ]
  },
}

function temperaturesOf({ quick }: Settings): readonly Temperature[] {
  return quick ? ['cold'] : TEMPERATURES
}

async function readEmbedded(
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

function embeddedRows(samples: Samples, temperature: Temperature, leaves: number): Row[] {
  const name = embeddedName(temperature, leaves)
  const get = (what: keyof EmbeddedReadFigures) => samples.get(name, what)
  const micro = (what: keyof EmbeddedReadFigures) => figure(get(what), 'us')
  const cold = temperature === 'cold'
  return [
    {
      name: `${name} leaf`,
      operation: `GET leaf ${temperature}, embedded`,
      size: leaves,
      measured: micro('leaf'),
      limit: { title: 'SQLite point read', ...micro('rawLeaf') },
      judged: spread(ratios(get('rawLeaf'), get('leaf'))),
      unit: 'x',
    },
    {
      name: `${name} object`,
      operation: `GET 1 KB ${temperature}, embedded`,
      size: leaves,
      measured: micro('object'),
      limit: { title: 'SQLite point read', ...micro('rawObject') },
      judged: spread(ratios(get('rawObject'), get('object'))),
      unit: 'x',
    },
    {
      name: `${name} large`,
      operation: `GET 1 MB ${temperature}, embedded, time over limit`,
      size: leaves,
      measured: micro('large'),
      limit: { title: 'JSON.stringify', ...micro('stringify') },
      judged: spread(ratios(get('large'), get('stringify'))),
      unit: 'x',
      goal: cold ? PRINTED : undefined,
    },
    {
      name: `${name} turnMs`,
      operation: `GET 1 MB ${temperature}, embedded, longest turn of the loop`,
      size: leaves,
      measured: figure(get('turnMs'), 'ms'),
      limit: { title: 'idle', ...figure(get('idleTurnMs'), 'ms') },
      judged: spread(get('turnMs')),
      unit: 'ms',
      goal: LONGEST,
    },
  ]
}

/** What a leaf costs in the largest tree, in units of what it costs in the smallest. */
function growthRow(samples: Samples, { sizes }: Settings, temperature: Temperature): Row {
  const [smallest, largest] = [sizes[0] ?? 0, sizes.at(-1) ?? 0]
  const leaf = (count: number) => ({ count, values: samples.get(embeddedName(temperature, count), 'leaf') })
  return {
    name: `embedded read ${temperature} growth`,
    operation: `growth of GET leaf, ${temperature}, embedded`,
    ...growthOf(leaf(smallest), leaf(largest), 'us'),
    goal: GROWTH,
  }
}
