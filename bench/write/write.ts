/** The writing half: what is measured, and the table it becomes. */
import { askChild } from '../harness/child.ts'
import { type Figures, ratios, type Samples, spread, type Variant } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { compareCpu, load, withServer } from '../load/https.ts'
import type { OperationName } from '../load/operations.ts'
import { longestTurns, timeDelete } from '../load/single-requests.ts'
import { type Goal, type Row, short, size } from '../report/table.ts'
import { bareServe } from '../targets/bare-serve.ts'
import { dholeServer } from '../targets/dhole.ts'
import type { EmbeddedWriteFigures, EmbeddedWriteRequest } from './embedded-write.ts'

interface Operation {
  readonly title: string
  readonly operation: OperationName
  readonly goal: Goal | undefined
}

const OPERATIONS: readonly Operation[] = [
  { title: 'PUT leaf, 64 clients, HTTPS', operation: 'putLeaf', goal: { kind: 'at least', bound: 0.4 } },
  { title: 'PUT 1 KB, 64 clients, HTTPS', operation: 'putObject', goal: { kind: 'at least', bound: 0.4 } },
  { title: 'PUT 1 MB, one client, HTTPS', operation: 'putLarge', goal: undefined },
]
const LONGEST: Goal = { kind: 'at most', bound: 10 }
const ACKNOWLEDGED: Goal = { kind: 'at most', bound: 5 }

const bareName = (operation: OperationName | 'delete') => `https ${operation} bare`
const httpsName = (operation: OperationName | 'delete' | 'turns', leaves: number) =>
  `https ${operation} ${size(leaves)}`
const embeddedName = (leaves: number) => `embedded write ${size(leaves)}`

export function writeVariants(workspace: Workspace, settings: Settings): Variant[] {
  const { certificate } = workspace
  const bare = bareServe(certificate, 'leaf')
  const { sizes, repeats } = settings
  const onCopy = (
    leaves: number,
    probe: boolean,
    measure: (target: ReturnType<typeof dholeServer>) => Promise<Figures>,
  ) =>
    workspace.withCopy(workspace.tree(leaves), (dataDir) =>
      measure(dholeServer({ certificate, dataDir, cold: probe, probe })),
    )
  const loads = OPERATIONS.flatMap(({ operation }): Variant[] => [
    { name: bareName(operation), run: () => load(bare, operation, sizes[0] ?? 0, settings) },
    ...sizes.map((leaves) => ({
      name: httpsName(operation, leaves),
      run: () => onCopy(leaves, false, (target) => load(target, operation, leaves, settings)),
    })),
  ])
  const singles = sizes.flatMap((leaves): Variant[] => [
    {
      name: httpsName('delete', leaves),
      run: () => onCopy(leaves, false, (target) => withServer(target, (running) => timeDelete(running, repeats))),
    },
    {
      name: httpsName('turns', leaves),
      run: () => onCopy(leaves, true, (target) => withServer(target, (running) => longestTurns(running, repeats))),
    },
    { name: embeddedName(leaves), run: () => embedded(workspace, settings, leaves) },
  ])
  const bareDelete = {
    name: bareName('delete'),
    run: () => withServer(bare, (running) => timeDelete(running, repeats)),
  }
  return [...loads, bareDelete, ...singles]
}

function embedded(workspace: Workspace, { sliceMs, slices, repeats }: Settings, leaves: number): Promise<Figures> {
  return workspace.withCopy(workspace.tree(leaves), async (dataDir, scratchDir) => {
    const request: EmbeddedWriteRequest = { dataDir, scratchDir, leaves, sliceMs, slices, repeats }
    return { ...(await askChild<EmbeddedWriteFigures>('write/embedded-write.ts', request)) }
  })
}

export function writeRows(samples: Samples, settings: Settings): Row[] {
  const { sizes } = settings
  const loads = OPERATIONS.flatMap(({ title, operation, goal }) =>
    sizes.map((leaves): Row => {
      const cells = compareCpu(samples, httpsName(operation, leaves), bareName(operation))
      return { operation: title, size: leaves, ...cells, goal }
    }),
  )
  const single = sizes.flatMap((leaves) => [...singleRows(samples, leaves), ...embeddedRows(samples, leaves)])
  const sorted = single.toSorted((left, right) => (left.operation < right.operation ? -1 : 1))
  return [...loads, ...sorted, ...growthRows(samples, settings)]
}

function singleRows(samples: Samples, leaves: number): Row[] {
  const deleted = spread(samples.get(httpsName('delete', leaves), 'deleteMs'))
  const bare = spread(samples.get(bareName('delete'), 'deleteMs'))
  const turns = httpsName('turns', leaves)
  const row = (title: string, name: string): Row =>
    turnRow(`${title}, HTTPS`, leaves, samples.get(turns, name), samples.get(turns, 'idle'))
  return [
    {
      operation: 'DELETE 100k leaves, HTTPS, until acknowledged',
      size: leaves,
      measured: `${short(deleted.median)} ms`,
      limit: `Bun.serve round trip ${short(bare.median)} ms`,
      judged: deleted,
      unit: 'ms',
      goal: ACKNOWLEDGED,
    },
    row('GET 1 MB cold', 'get'),
    row('PUT 1 MB', 'put'),
    row('DELETE 100k leaves', 'delete'),
  ]
}

function turnRow(title: string, leaves: number, turns: readonly number[], idle: readonly number[]): Row {
  const judged = spread(turns)
  return {
    operation: `longest turn of the loop, ${title}`,
    size: leaves,
    measured: `${short(judged.median)} ms`,
    limit: `idle ${short(spread(idle).median)} ms`,
    judged,
    unit: 'ms',
    goal: LONGEST,
  }
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
function growthRows(samples: Samples, { sizes }: Settings): Row[] {
  const [smallest, largest] = [sizes[0] ?? 0, sizes.at(-1) ?? 0]
  const row = (access: string, figure: string, nameOf: (leaves: number) => string): Row => {
    const [small, large] = [samples.get(nameOf(smallest), figure), samples.get(nameOf(largest), figure)]
    return {
      operation: `growth of PUT leaf, ${access}`,
      size: undefined,
      measured: `${short(spread(large).median)} us CPU at ${size(largest)}`,
      limit: `${short(spread(small).median)} us CPU at ${size(smallest)}`,
      judged: spread(ratios(large, small)),
      unit: 'x',
      goal: { kind: 'at most', bound: 1.3 },
    }
  }
  return [
    row('64 clients, HTTPS', 'cpuUs', (leaves) => httpsName('putLeaf', leaves)),
    row('one client, embedded', 'leafCpuUs', embeddedName),
    row('64 clients, embedded', 'manyLeavesCpuUs', embeddedName),
  ]
}
