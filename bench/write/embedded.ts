/** What writing costs without HTTP. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { growthOf } from '../report/growth.ts'
import { size } from '../report/numbers.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import type { EmbeddedWriteFigures, EmbeddedWriteRequest } from './embedded-write.ts'
import { turnRow } from './turn-row.ts'

export const ACKNOWLEDGED: Goal = { kind: 'at most', bound: 5 }
const GROWTH: Goal = { kind: 'at most', bound: 1.3 }

const embeddedName = (leaves: number) => `embedded write ${size(leaves)}`

export const embeddedPart: Part = {
  prepare: (workspace, { sizes }) => workspace.build('tree', sizes),
  variants: (workspace, settings) =>
    settings.sizes.map((leaves) => ({
      name: embeddedName(leaves),
      run: () => writeEmbedded(workspace, settings, leaves),
    })),
  rows: (samples, settings) => {
    const rows = settings.sizes.flatMap((leaves) => embeddedRows(samples, leaves))
    return [
      ...rows.toSorted((left, right) => (left.operation < right.operation ? -1 : 1)),
      growthRow(samples, settings, 'one client', 'leafCpuUs'),
      growthRow(samples, settings, '64 clients', 'manyLeavesCpuUs'),
    ]
  },
}

function writeEmbedded(workspace: Workspace, { sliceMs, slices, repeats }: Settings, leaves: number): Promise<Figures> {
  return workspace.withCopy(workspace.tree(leaves), async (dataDir, scratchDir) => {
    const request: EmbeddedWriteRequest = { dataDir, scratchDir, leaves, sliceMs, slices, repeats }
    return { ...(await askChild<EmbeddedWriteFigures>('write/embedded-write.ts', request)) }
  })
}

function embeddedRows(samples: Samples, leaves: number): Row[] {
  const name = embeddedName(leaves)
  const get = (what: keyof EmbeddedWriteFigures) => samples.get(name, what)
  const sync = { title: 'fdatasync', ...figure(get('syncPerSecond'), '/s') }
  const rate = (operation: string, what: keyof EmbeddedWriteFigures, goal?: Goal): Row => ({
    name: `${name} ${what}`,
    operation,
    size: leaves,
    measured: figure(get(what), '/s'),
    limit: sync,
    judged: spread(ratios(get(what), get('syncPerSecond'))),
    unit: 'x',
    goal,
  })
  return [
    rate('PUT leaf, one client, embedded', 'leafPerSecond', { kind: 'at least', bound: 0.8 }),
    rate('PUT 1 KB, one client, embedded', 'objectPerSecond'),
    rate('PUT leaf, 64 clients, embedded', 'manyLeavesPerSecond'),
    rate('PUT 1 KB, 64 clients, embedded', 'manyObjectsPerSecond'),
    {
      name: `${name} largeMs`,
      operation: 'PUT 1 MB, one client, embedded, time over limit',
      size: leaves,
      measured: figure(get('largeMs'), 'ms'),
      limit: { title: 'append and fdatasync of 1 MB', ...figure(get('largeSyncMs'), 'ms') },
      judged: spread(ratios(get('largeMs'), get('largeSyncMs'))),
      unit: 'x',
    },
    {
      name: `${name} deleteMs`,
      operation: 'DELETE 100k leaves, embedded, until acknowledged',
      size: leaves,
      measured: figure(get('deleteMs'), 'ms'),
      limit: sync,
      judged: spread(get('deleteMs')),
      unit: 'ms',
      goal: ACKNOWLEDGED,
    },
    turnRow(`${name} largeTurnMs`, 'PUT 1 MB, embedded', leaves, get('largeTurnMs'), get('idleTurnMs')),
    turnRow(`${name} deleteTurnMs`, 'DELETE 100k leaves, embedded', leaves, get('deleteTurnMs'), get('idleTurnMs')),
  ]
}

/** What a leaf costs in the largest tree, in units of what it costs in the smallest. */
function growthRow(samples: Samples, { sizes }: Settings, clients: string, what: 'leafCpuUs' | 'manyLeavesCpuUs'): Row {
  const [smallest, largest] = [sizes[0] ?? 0, sizes.at(-1) ?? 0]
  const cpu = (count: number) => ({ count, values: samples.get(embeddedName(count), what) })
  return {
    name: `embedded write growth ${what}`,
    operation: `growth of PUT leaf, ${clients}, embedded`,
    ...growthOf(cpu(smallest), cpu(largest), 'us CPU'),
    goal: GROWTH,
  }
}
