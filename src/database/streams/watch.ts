import type { Sink } from '../../hub/sink.ts'
import { joined } from '../../tree/json/text-pieces.ts'
import type { WatchedChange } from '../read-types.ts'
import { EventQueue } from './event-queue.ts'
import type { Subscription } from './subscription.ts'

/**
 * Yields the events of a stream until the loop or the signal ends it.
 * @param subscribe opens the stream
 * @param epoch of the tree, asked for once the stream is open
 */
export async function* watch(
  subscribe: (sink: Sink) => Promise<Subscription>,
  epoch: () => string,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchedChange, void> {
  const queue = new EventQueue()
  const subscription = await subscribe(queue)
  const position = { epoch: epoch() }
  const stop = () => queue.end()
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  try {
    for (let event = await queue.next(); event !== undefined; event = await queue.next()) {
      if (signal?.aborted) return
      const { kind, path, data, seq } = event
      if (kind === 'mark') continue
      yield { kind, path, data: JSON.parse(joined(data)) as unknown, position: { ...position, seq } }
    }
    queue.check()
  } finally {
    signal?.removeEventListener('abort', stop)
    subscription.close()
  }
}
