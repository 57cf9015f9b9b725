/** How much memory a server takes that has been read from in every way. */
import type { Part } from '../harness/part.ts'
import { residentKb, untilQuiet } from '../harness/proc.ts'
import { type Figures, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import { loadEach, withServer } from '../load/https.ts'
import type { OperationName } from '../load/operations.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import { bareServe } from '../targets/bare-serve.ts'
import { dholeServer } from '../targets/dhole.ts'
import type { Target } from '../targets/target.ts'

const READ: Goal = { kind: 'at most', bound: 150 }
const READS: readonly OperationName[] = ['getLeaf', 'getManyLeaves', 'getLeafMultiplexed', 'getObject', 'getLarge']
const KB_PER_MB = 1000

const BARE = 'memory bare'
const DHOLE = 'memory dhole'

/** Megabytes. */
interface MemoryFigures {
  /** At rest, before the first request. */
  readonly idleMb: number
  readonly readMb: number
}

export const readPart: Part = {
  quick: true,
  prepare: (workspace, { memoryLeaves }) => workspace.build('tree', [memoryLeaves]),
  variants: (workspace, settings) => {
    const { certificate } = workspace
    const dhole = dholeServer({ certificate, dataDir: workspace.tree(settings.memoryLeaves) })
    const bare = { name: BARE, run: () => readFrom(bareServe(certificate, 'large'), settings) }
    return [...(settings.quick ? [] : [bare]), { name: DHOLE, run: () => readFrom(dhole, settings) }]
  },
  rows: (samples, settings) => [
    row(samples, 'memory of the server at rest', settings, 'idleMb'),
    row(samples, 'memory of the server after all reads', settings, 'readMb', READ),
  ],
}

async function readFrom(target: Target, settings: Settings): Promise<Figures> {
  return withServer(target, async (running) => {
    await untilQuiet(running.pid)
    const idleMb = residentKb(running.pid) / KB_PER_MB
    await loadEach(running, READS, settings.memoryLeaves, settings.seconds / 2)
    const figures: MemoryFigures = { idleMb, readMb: residentKb(running.pid) / KB_PER_MB }
    return { ...figures }
  })
}

function row(
  samples: Samples,
  operation: string,
  { memoryLeaves, quick }: Settings,
  what: keyof MemoryFigures,
  goal?: Goal,
): Row {
  const ours = samples.get(DHOLE, what)
  return {
    name: `${DHOLE} ${what}`,
    operation,
    size: memoryLeaves,
    measured: figure(ours, 'MB'),
    limit: quick ? 'not in a quick run' : { title: 'Bun.serve', ...figure(samples.get(BARE, what), 'MB') },
    judged: spread(ours),
    unit: 'MB',
    goal,
  }
}
