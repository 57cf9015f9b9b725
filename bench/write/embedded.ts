/** What writing costs without HTTP. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { type Goal, type Row, short, size } from '../report/table.ts'
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
  const get = (figure: keyof EmbeddedWriteFigures) => samples.get(name, figure)
  const middle = (figure: keyof EmbeddedWriteFigures) => short(spread(get(figure)).median)
  const sync = `fdatasync ${middle('syncPerSecond')}/s`
  const rate = (operation: string, figure: keyof EmbeddedWriteFigures, goal?: Goal): Row => ({
    operation,
    size: leaves,
    measured: `${middle(figure)}/s`,
    limit: sync,
    judged: spread(ratios(get(figure), get('syncPerSecond'))),
    unit: 'x',
    goal,
  })
  const deleted = spread(get('deleteMs'))
  return [
    rate('PUT leaf, one client, embedded', 'leafPerSecond', { kind: 'at least', bound: 0.8 }),
    rate('PUT 1 KB, one client, embedded', 'objectPerSecond'),
    rate('PUT leaf, 64 clients, embedded', 'manyLeavesPerSecond'),
    rate('PUT 1 KB, 64 clients, embedded', 'manyObjectsPerSecond'),
    {
      operation: 'PUT 1 MB, one client, embedded, time over limit',
      size: leaves,
      measured: `${middle('largeMs')} ms`,
      limit: `append and fdatasync of 1 MB ${middle('largeSyncMs')} ms`,
      judged: spread(ratios(get('largeMs'), get('largeSyncMs'))),
      unit: 'x',
    },
    {
      operation: 'DELETE 100k leaves, embedded, until acknowledged',
      size: leaves,
      measured: `${short(deleted.median)} ms`,
      limit: sync,
      judged: deleted,
      unit: 'ms',
      goal: ACKNOWLEDGED,
    },
    turnRow('PUT 1 MB, embedded', leaves, get('largeTurnMs'), get('idleTurnMs')),
    turnRow('DELETE 100k leaves, embedded', leaves, get('deleteTurnMs'), get('idleTurnMs')),
  ]
}

/** What a leaf costs in the largest tree, in units of what it costs in the smallest. */
function growthRow(
  samples: Samples,
  { sizes }: Settings,
  clients: string,
  figure: 'leafCpuUs' | 'manyLeavesCpuUs',
): Row {
  const [smallest, largest] = [sizes[0] ?? 0, sizes.at(-1) ?? 0]
  const cpu = (leaves: number) => samples.get(embeddedName(leaves), figure)
  return {
    operation: `growth of PUT leaf, ${clients}, embedded`,
    size: undefined,
    measured: `${short(spread(cpu(largest)).median)} us CPU at ${size(largest)}`,
    limit: `${short(spread(cpu(smallest)).median)} us CPU at ${size(smallest)}`,
    judged: spread(ratios(cpu(largest), cpu(smallest))),
    unit: 'x',
    goal: GROWTH,
  }
}
