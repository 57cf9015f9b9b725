/** Publishing to many streams: one server and one process that listens to all of them. */
import { askChild } from '../harness/child.ts'
import { type Figures, ratios, type Samples, type Spread, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import { type Figure, figure } from '../report/row.ts'
import { leafPaths, urlOf } from '../stock/blogs.ts'
import type { Target } from '../targets/target.ts'
import type { StreamLoad, StreamLoadFigures, StreamLoadRequest } from './stream-load.ts'

/** The first leaf is the same in every tree. */
const [LEAF = []] = leafPaths(1000, 1)
/** What is written and listened to. */
export const BUSY_PATH = `/${LEAF.join('/')}`
export const BUSY_STREAM = urlOf(LEAF)

/** What is published to whom. */
interface Audience extends Pick<StreamLoad, 'streams' | 'inFlight'> {
  /** Streams that get what is published. Default: all. */
  readonly concerned?: number
  /** Each stream shows a token of a user of its own. Default `false`. */
  readonly withTokens?: boolean
  /** The server takes the messages over HTTP. Default `false`: it makes them itself. */
  readonly posted?: boolean
}

/** One server and those who listen to it. */
export interface StreamContestant extends Audience {
  /** Of the variant. */
  readonly name: string
  readonly target: Target
}

/** Several servers that run side by side and publish in turns: figures by name. */
export async function streamInTurns(
  contestants: readonly StreamContestant[],
  { publishSeconds: seconds, turns, warmSeconds }: Settings,
): Promise<Readonly<Record<string, Figures>>> {
  await using servers = new AsyncDisposableStack()
  const loads = await Promise.all(
    contestants.map(async ({ target, name: _, ...audience }): Promise<StreamLoad> => {
      const { url, pid, control, stop } = await target.start()
      servers.defer(stop)
      const { length } = audience.streams
      return { url, pid, control, concerned: length, posted: false, withTokens: false, ...audience }
    }),
  )
  const request: StreamLoadRequest = { loads, seconds, turns, warmSeconds }
  const figures = await askChild<StreamLoadFigures[]>('load/stream-load.ts', request)
  return Object.fromEntries(contestants.map(({ name }, index) => [name, { ...figures[index] }]))
}

/**
 * The same of servers that run one after the other: the sockets of several thousand listeners that wait for their turn
 * make each delivery to the others dearer, and that of the limit by as much, which is not what is asked for.
 */
export async function streamOneByOne(
  contestants: readonly StreamContestant[],
  settings: Settings,
): Promise<Readonly<Record<string, Figures>>> {
  const figures: Record<string, Figures> = {}
  for (const contestant of contestants) Object.assign(figures, await streamInTurns([contestant], settings))
  return figures
}

/** One server by itself. */
export async function loadStreams(target: Target, audience: Audience, settings: Settings): Promise<Figures> {
  const { alone = {} } = await streamInTurns([{ name: 'alone', target, ...audience }], settings)
  return alone
}

/** Every one listens to the same node. */
export function busyStreams(count: number): string[] {
  return new Array<string>(count).fill(BUSY_STREAM)
}

/** Processor time of the server for one message to one stream, and such deliveries per second. */
export function deliveryOf(samples: Samples, variant: string): Figure {
  return {
    ...figure(samples.get(variant, 'deliveryUs'), 'us CPU'),
    beside: figure(samples.get(variant, 'perSecond'), '/s'),
  }
}

/** One variant's figure in units of another's. */
export function ratioOf(samples: Samples, over: string, under: string, figure: keyof StreamLoadFigures): Spread {
  return spread(ratios(samples.get(over, figure), samples.get(under, figure)))
}
