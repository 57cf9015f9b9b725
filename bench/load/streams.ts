/** Publishing to many streams: one server and one process that listens to all of them. */
import { askChild } from '../harness/child.ts'
import { type Figures, ratios, type Samples, type Spread, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import { leafPaths, urlOf } from '../stock/blogs.ts'
import type { Target } from '../targets/target.ts'
import { withServer } from './https.ts'
import type { StreamLoadFigures, StreamLoadRequest } from './stream-load.ts'

/** The first leaf is the same in every tree. */
const [LEAF = []] = leafPaths(1000, 1)
/** What is written and listened to. */
export const BUSY_PATH = `/${LEAF.join('/')}`
export const BUSY_STREAM = urlOf(LEAF)

interface StreamLoad extends Pick<StreamLoadRequest, 'streams' | 'inFlight'> {
  /** Streams that get what is published. Default: all. */
  readonly concerned?: number
  /** Each stream shows a token of a user of its own. Default `false`. */
  readonly withTokens?: boolean
  /** The server takes the messages over HTTP. Default `false`: it makes them itself. */
  readonly posted?: boolean
}

export function loadStreams(
  target: Target,
  load: StreamLoad,
  { publishSeconds: seconds, warmSeconds }: Settings,
): Promise<Figures> {
  return withServer(target, async ({ url, pid, control }) => {
    const whom = { concerned: load.streams.length, posted: false, withTokens: false, ...load }
    const request: StreamLoadRequest = { url, pid, control, seconds, warmSeconds, ...whom }
    return { ...(await askChild<StreamLoadFigures>('load/stream-load.ts', request)) }
  })
}

/** Every one listens to the same node. */
export function busyStreams(count: number): string[] {
  return new Array<string>(count).fill(BUSY_STREAM)
}

export function middle(samples: Samples, variant: string, figure: keyof StreamLoadFigures): number {
  return spread(samples.get(variant, figure)).median
}

/** One variant's figure in units of another's. */
export function ratioOf(samples: Samples, over: string, under: string, figure: keyof StreamLoadFigures): Spread {
  return spread(ratios(samples.get(over, figure), samples.get(under, figure)))
}
