/** What it costs to tell many who listen to the same over sockets, and how soon they know at a pace. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Contest, type Figures, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import type { StreamLoadFigures } from '../load/stream-load.ts'
import { deliveryOf, ratioOf } from '../load/streams.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import { bareSockets } from '../targets/bare-sockets.ts'
import { dholeSockets } from '../targets/dhole-sockets.ts'
import type { Target } from '../targets/target.ts'
import type { DeliveryRequest, DeliveryServer, PacedFigures } from './delivery-load.ts'

const COST: Goal = { kind: 'at most', bound: 1.05 }
const SOON: Goal = { kind: 'at most', bound: 5 }
/** Of the messages that are asked for. */
const KEPT: Goal = { kind: 'at least', bound: 0.99 }

/** A delivery is what is left when a write is taken off, which the disk makes uneven. */
const LONGER = 2
/** Code is compiled in threads whose time counts, and some of it only after ten thousand writes. */
const WARMER = 9

const DHOLE = 'socket delivery dhole'
const RAW = 'socket delivery raw'
const WRITING = 'socket delivery raw writing'
const PACED = 'socket pace dhole'
const PACED_WRITING = 'socket pace raw writing'

/** Servers by the names of their variants. */
type Targets = (dataDirs: readonly [string, string]) => Readonly<Record<string, Target>>

export const deliveryPart: Part = {
  // A short run tells the cost of code that is not compiled yet.
  variants(workspace, settings) {
    const { certificate } = workspace
    const raw = (writtenTo?: string) =>
      bareSockets({ certificate, kind: 'send', ...(writtenTo === undefined ? {} : { writtenTo }) })
    const dhole = (dataDir: string) => dholeSockets({ certificate, dataDir })
    const fast = contest(workspace, settings, 'writes that many listen to', ([ours, bare]) => ({
      [WRITING]: raw(bare),
      [DHOLE]: dhole(ours),
      [RAW]: raw(),
    }))
    const paced = contest(
      workspace,
      settings,
      'writes at a pace that many listen to',
      ([ours, bare]) => ({ [PACED_WRITING]: raw(bare), [PACED]: dhole(ours) }),
      settings.pace,
    )
    return [fast, paced]
  },
  rows: (samples, settings) => [
    deliveryRow(samples, settings, WRITING, 'the same sends behind the same write', 'database, then Bun.serve', COST),
    deliveryRow(samples, settings, RAW, 'limit', 'Bun.serve'),
    ...pacedRows(samples, settings),
  ],
}

/** Servers that run side by side, on empty trees, and take turns. */
function contest(workspace: Workspace, settings: Settings, name: string, targets: Targets, pace?: number): Contest {
  return {
    name,
    compete: () =>
      workspace.withScratch((scratchDir) =>
        measure(targets([`${scratchDir}/0`, `${scratchDir}/1`]), settings, pace === undefined ? {} : { pace }),
      ),
  }
}

async function measure(
  targets: Readonly<Record<string, Target>>,
  { publishSeconds, turns, warmSeconds, listens }: Settings,
  pace: Pick<DeliveryRequest, 'pace'>,
): Promise<Readonly<Record<string, Figures>>> {
  await using started = new AsyncDisposableStack()
  const servers: DeliveryServer[] = []
  for (const target of Object.values(targets)) {
    const { url, pid, stop } = await target.start()
    started.defer(stop)
    servers.push({ url, pid })
  }
  const times = { seconds: publishSeconds * LONGER, turns, warmSeconds: warmSeconds * WARMER }
  const request: DeliveryRequest = { servers, listens, ...times, ...pace }
  const figures = await askChild<(StreamLoadFigures | PacedFigures)[]>('socket/delivery-load.ts', request)
  return Object.fromEntries(Object.keys(targets).map((variant, index) => [variant, { ...figures[index] }]))
}

function deliveryRow(
  samples: Samples,
  { listens }: Settings,
  limit: string,
  over: string,
  title: string,
  goal?: Goal,
): Row {
  return {
    name: `${DHOLE} to ${limit}`,
    operation: `one write to many who listen to the same, each delivery, time over ${over}`,
    size: listens,
    measured: deliveryOf(samples, DHOLE),
    limit: { title, ...deliveryOf(samples, limit) },
    judged: ratioOf(samples, DHOLE, limit, 'deliveryUs'),
    unit: 'x',
    goal,
  }
}

function pacedRows(samples: Samples, { listens, pace }: Settings): Row[] {
  const get = (variant: string, what: keyof PacedFigures) => samples.get(variant, what)
  const row = (what: keyof PacedFigures, unit: string): Pick<Row, 'name' | 'size' | 'measured' | 'limit'> => ({
    name: `${PACED} ${what}`,
    size: listens,
    measured: figure(get(PACED, what), unit),
    limit: { title: 'database, then Bun.serve', ...figure(get(PACED_WRITING, what), unit) },
  })
  const alone = get(PACED, 'writeP99Ms')
  const asked = pace * listens
  const { measured, ...p99 } = row('p99Ms', 'ms')
  return [
    {
      ...p99,
      operation: `${pace} writes a second, p99 from when a write is due to arrival, above p99 of the write alone`,
      measured: { ...measured, beside: { title: 'p50', ...figure(get(PACED, 'p50Ms'), 'ms') } },
      judged: spread(get(PACED, 'p99Ms').map((ms, round) => ms - (alone[round] ?? Number.NaN))),
      unit: 'ms',
      goal: SOON,
    },
    {
      ...row('afterP99Ms', 'ms'),
      operation: `${pace} writes a second, p99 from acknowledgement to arrival`,
      judged: spread(get(PACED, 'afterP99Ms')),
      unit: 'ms',
      goal: SOON,
    },
    {
      ...row('perSecond', '/s'),
      operation: `${pace} writes a second, messages that arrive of ${asked} a second`,
      judged: spread(get(PACED, 'perSecond').map((perSecond) => perSecond / asked)),
      unit: 'x',
      goal: KEPT,
    },
  ]
}
