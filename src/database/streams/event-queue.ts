import { DholeError } from '../../error.ts'
import type { EventBatch, NumberedEvent } from '../../hub/event-batch.ts'
import { type EndReason, NO_ROOM, type Sink, TOO_LARGE } from '../../hub/sink.ts'

/** Queues the events of a stream for a loop. It accepts the next batch when the queue is empty. */
export class EventQueue implements Sink {
  #events: NumberedEvent[] = []
  #room: PromiseWithResolvers<void> | undefined
  #wake: (() => void) | undefined
  #ended = false
  #reason: EndReason | undefined

  write(batch: EventBatch): Promise<void> {
    // `push(...events)` fails for very many events.
    for (const event of batch.events) this.#events.push(event)
    this.#wake?.()
    this.#room ??= Promise.withResolvers<void>()
    return this.#room.promise
  }

  keepAlive(): void {}

  /** A loop may be slow without a limit. */
  abort(): void {}

  end(reason?: EndReason): void {
    this.#ended = true
    this.#reason = reason
    this.#wake?.()
  }

  /** @throws `read-too-big`, `too-busy`, `permission-denied`, `token-expired` when the stream ended for that reason */
  check(): void {
    if (this.#reason !== undefined) throw endError(this.#reason)
  }

  /** The next event; `undefined` at the end. */
  async next(): Promise<NumberedEvent | undefined> {
    while (this.#events.length === 0 && !this.#ended) {
      this.#room?.resolve()
      this.#room = undefined
      // The writer that waited for room may have written already.
      await Promise.resolve()
      if (this.#events.length > 0 || this.#ended) break
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
    return this.#events.shift()
  }
}

/** The reason of the end of a stream as an error: `read-too-big`, `too-busy`, `permission-denied` or `token-expired`. */
export function endError(reason: EndReason): DholeError {
  if (reason === TOO_LARGE) return new DholeError('read-too-big')
  if (reason === NO_ROOM) return new DholeError('too-busy')
  return new DholeError(reason.kind === 'cancel' ? 'permission-denied' : 'token-expired')
}
