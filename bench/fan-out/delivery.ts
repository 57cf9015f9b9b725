/** What it costs to tell many subscribers of one node, and how soon they know. */

import type { Part } from '../harness/part.ts'
import type { Contest, Samples } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import { BUSY_PATH, busyStreams, deliveryOf, ratioOf, type StreamContestant, streamOneByOne } from '../load/streams.ts'
import { size } from '../report/numbers.ts'
import { type Figure, figure, type Goal, type Row } from '../report/row.ts'
import { dholeStreams } from '../targets/dhole-streams.ts'
import { rawStreams } from '../targets/raw-streams.ts'

const COST: Goal = { kind: 'at most', bound: 1.1 }
const LATENCY: Goal = { kind: 'at most', bound: 1.5 }
const SAVED: Goal = { kind: 'at least', bound: 8 }
const GROWTH: Goal = { kind: 'at most', bound: 1.2 }

const MANY = 32
const rawName = (inFlight: number) => `streams raw ${inFlight}`
const JOINED = `streams raw joined ${MANY}`
const WRITING = 'streams raw writing 1'
const dholeName = (inFlight: number, leaves: number) => `streams dhole ${inFlight} ${size(leaves)}`
/** The variant that others are compared with too. */
export const deliveryName = (leaves: number) => dholeName(1, leaves)

type DeliveryRow = Omit<Row, 'size' | 'unit'>

export const deliveryPart: Part = {
  quick: true,
  prepare: (workspace, { sizes }) => workspace.build('tree', [...new Set([sizes[0] ?? 0, sizes.at(-1) ?? 0])]),
  variants(workspace, settings) {
    const { certificate } = workspace
    const streams = busyStreams(settings.subscribers)
    const [smallest, largest] = endsOf(settings)
    const raw = (name: string, inFlight: number, joined: boolean): StreamContestant => ({
      name,
      target: rawStreams({ certificate, joined }),
      streams,
      inFlight,
    })
    const dhole = (inFlight: number, leaves: number, dataDir: string): StreamContestant => ({
      name: dholeName(inFlight, leaves),
      target: dholeStreams({ certificate, dataDir, path: BUSY_PATH }),
      streams,
      inFlight,
    })
    const writing = (dataDir: string): StreamContestant => ({
      name: WRITING,
      target: rawStreams({ certificate, written: { dataDir, path: BUSY_PATH } }),
      streams,
      inFlight: 1,
    })
    const one: Contest = {
      name: 'streams, one message in flight',
      compete: () => {
        const trees = [smallest, smallest, largest].map((leaves) => workspace.tree(leaves))
        return workspace.withCopies(trees, ([forRaw = '', forSmall = '', forLarge = '']) => {
          const compared = [
            writing(forRaw),
            dhole(1, smallest, forSmall),
            raw(rawName(1), 1, false),
            dhole(1, largest, forLarge),
          ]
          return streamOneByOne(compared, settings)
        })
      },
    }
    const many: Contest = {
      name: `streams, ${MANY} messages in flight`,
      compete: () =>
        workspace.withCopy(workspace.tree(smallest), (dataDir) => {
          const compared = [raw(rawName(MANY), MANY, false), dhole(MANY, smallest, dataDir)]
          if (!settings.quick) compared.push(raw(JOINED, MANY, true))
          return streamOneByOne(compared, settings)
        }),
    }
    // A short run of one message after the other tells the cost of code that is not compiled yet.
    return settings.quick ? [many] : [one, many]
  },
  rows(samples, settings) {
    const { subscribers, quick } = settings
    const [smallest, largest] = endsOf(settings)
    const [one, grown, many] = [dholeName(1, smallest), dholeName(1, largest), dholeName(MANY, smallest)]
    const rows: DeliveryRow[] = [
      {
        name: `deliver ${MANY}`,
        operation: `deliver, ${MANY} messages in flight, times less than one write for each`,
        measured: deliveryOf(samples, many),
        limit: { title: 'Bun.listen, one write for each,', ...deliveryOf(samples, rawName(MANY)) },
        judged: ratioOf(samples, rawName(MANY), many, 'deliveryUs'),
        goal: SAVED,
      },
    ]
    const others: DeliveryRow[] = quick
      ? []
      : [
          {
            name: 'deliver 1 to the same write',
            operation: 'deliver, one message in flight, time over the same socket behind the same write',
            measured: deliveryOf(samples, one),
            limit: { title: 'database, then Bun.listen', ...deliveryOf(samples, WRITING) },
            judged: ratioOf(samples, one, WRITING, 'deliveryUs'),
            goal: COST,
          },
          {
            name: 'deliver 1',
            operation: 'deliver, one message in flight, time over limit',
            measured: deliveryOf(samples, one),
            limit: { title: 'Bun.listen', ...deliveryOf(samples, rawName(1)) },
            judged: ratioOf(samples, one, rawName(1), 'deliveryUs'),
            goal: COST,
          },
          {
            name: 'deliver 1 p99',
            operation: 'p99 from publishing to arrival, one message in flight, time over limit',
            measured: latencyOf(samples, one),
            limit: { title: 'Bun.listen', ...latencyOf(samples, rawName(1)) },
            judged: ratioOf(samples, one, rawName(1), 'p99Ms'),
            goal: LATENCY,
          },
          {
            name: `deliver ${MANY} to one write`,
            operation: `deliver, ${MANY} messages in flight, time over limit`,
            measured: deliveryOf(samples, many),
            limit: { title: 'Bun.listen, one write for all,', ...deliveryOf(samples, JOINED) },
            judged: ratioOf(samples, many, JOINED, 'deliveryUs'),
          },
          {
            name: 'publish growth',
            operation: 'growth of publishing with the tree, write and deliveries, HTTPS',
            measured: { ...figure(samples.get(grown, 'publishUs'), 'us CPU'), at: `${size(largest)} leaves` },
            limit: { ...figure(samples.get(one, 'publishUs'), 'us CPU'), at: size(smallest) },
            judged: ratioOf(samples, grown, one, 'publishUs'),
            goal: GROWTH,
          },
        ]
    return [...rows, ...others].map((row) => ({ ...row, size: subscribers, unit: 'x' }))
  },
}

/** The smallest tree and the largest. */
function endsOf({ sizes }: Settings): [number, number] {
  return [sizes[0] ?? 0, sizes.at(-1) ?? 0]
}

function latencyOf(samples: Samples, variant: string): Figure {
  return {
    ...figure(samples.get(variant, 'p99Ms'), 'ms'),
    beside: { title: 'p50', ...figure(samples.get(variant, 'p50Ms'), 'ms') },
  }
}
