/** What it costs to tell many who listen to the same over sockets, and how soon they know at a pace. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Contest, type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import type { StreamLoadFigures } from '../load/stream-load.ts'
import { deliveryOf, ratioOf } from '../load/streams.ts'
import { type Figure, figure, type Goal, type Row } from '../report/row.ts'
import { bareSockets } from '../targets/bare-sockets.ts'
import { dholeSockets } from '../targets/dhole-sockets.ts'
import type { Target } from '../targets/target.ts'
import type { DeliveryRequest, PacedFigures } from './delivery-load.ts'

const COST: Goal = { kind: 'at most', bound: 1.05 }
const SOON: Goal = { kind: 'at most', bound: 5 }
/** Of the messages that are asked for. */
const KEPT: Goal = { kind: 'at least', bound: 0.99 }

const DHOLE = 'socket delivery dhole'
const RAW = 'socket delivery raw'
const WRITING = 'socket delivery raw writing'
const PACED = 'socket pace dhole'
const PACED_WRITING = 'socket pace raw writing'

/** Servers by the names of their variants. */
type Targets = (dataDirs: readonly [string, string]) => Readonly<Record<string, Target>>

export const deliveryPart: Part = {
  quick: true,
  variants(workspace, settings) {
    const { certificate } = workspace
    const raw = (writtenTo?: string) =>
      bareSockets({ certificate, kind: 'send', ...(writtenTo === undefined ? {} : { writtenTo }) })
    const dhole = (dataDir: string) => dholeSockets({ certificate, dataDir })
    return [
      contest(workspace, settings, 'writes that many listen to', ([ours, bare]) => ({
        [WRITING]: raw(bare),
        [DHOLE]: dhole(ours),
        [RAW]: raw(),
      })),
      contest(
        workspace,
        settings,
        'writes at a pace that many listen to',
        ([ours, bare]) => ({ [PACED_WRITING]: raw(bare), [PACED]: dhole(ours) }),
        settings.pace,
      ),
    ]
  },
  rows: (samples, settings) => [
    deliveryRow(samples, settings, WRITING, 'the same sends behind the same write', 'database, then Bun.serve'),
    deliveryRow(samples, settings, RAW, 'limit', 'Bun.serve'),
    ...pacedRows(samples, settings),
  ],
}

/** Servers that run one after the other, on empty trees. */
function contest(workspace: Workspace, settings: Settings, name: string, targets: Targets, pace?: number): Contest {
  return {
    name,
    compete: () =>
      workspace.withScratch(async (scratchDir) => {
        const figures: Record<string, Figures> = {}
        for (const [variant, target] of Object.entries(targets([`${scratchDir}/0`, `${scratchDir}/1`]))) {
          figures[variant] = await measure(target, settings, pace)
        }
        return figures
      }),
  }
}

async function measure(target: Target, settings: Settings, pace: number | undefined): Promise<Figures> {
  const { publishSeconds: seconds, turns, warmSeconds, listens } = settings
  const { url, pid, stop } = await target.start()
  try {
    const times = { seconds, turns, warmSeconds }
    const request: DeliveryRequest = {
      servers: [{ url, pid }],
      listens,
      ...times,
      ...(pace === undefined ? {} : { pace }),
    }
    const [figures] = await askChild<(StreamLoadFigures | PacedFigures)[]>('socket/delivery-load.ts', request)
    return { ...figures }
  } finally {
    await stop()
  }
}

function deliveryRow(samples: Samples, { listens }: Settings, limit: string, over: string, title: string): Row {
  return {
    name: `${DHOLE} to ${limit}`,
    operation: `one write to many who listen to the same, each delivery, time over ${over}`,
    size: listens,
    measured: deliveryOf(samples, DHOLE),
    limit: { title, ...deliveryOf(samples, limit) },
    judged: ratioOf(samples, DHOLE, limit, 'deliveryUs'),
    unit: 'x',
    goal: COST,
  }
}

function pacedRows(samples: Samples, { listens, pace }: Settings): Row[] {
  const get = (variant: string, what: keyof PacedFigures) => samples.get(variant, what)
  const limit = (what: keyof PacedFigures, unit: string) => ({
    title: 'database, then Bun.serve',
    ...figure(get(PACED_WRITING, what), unit),
  })
  const written = get(PACED, 'writeP99Ms')
  const soon: Figure = {
    ...figure(get(PACED, 'p99Ms'), 'ms'),
    beside: { title: 'p50', ...figure(get(PACED, 'p50Ms'), 'ms') },
  }
  const asked = pace * listens
  return [
    {
      name: `${PACED} p99`,
      operation: `${pace} writes a second, p99 from when a write is due to arrival, above p99 of the write alone`,
      size: listens,
      measured: soon,
      limit: limit('p99Ms', 'ms'),
      judged: spread(get(PACED, 'p99Ms').map((ms, round) => ms - (written[round] ?? Number.NaN))),
      unit: 'ms',
      goal: SOON,
    },
    {
      name: `${PACED} rate`,
      operation: `${pace} writes a second, messages that arrive of ${asked} a second`,
      size: listens,
      measured: figure(get(PACED, 'perSecond'), '/s'),
      limit: limit('perSecond', '/s'),
      judged: spread(
        ratios(
          get(PACED, 'perSecond'),
          get(PACED, 'perSecond').map(() => asked),
        ),
      ),
      unit: 'x',
      goal: KEPT,
    },
  ]
}
