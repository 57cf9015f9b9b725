import type { EndReason } from '../../hub/sink.ts'
import type { Subscriber } from '../../hub/subscriber.ts'
import type { StreamGuard } from './stream-guard.ts'

/** An open stream, as who opened it sees it. Idle streams are many: it keeps nothing else (`bun run bench fan-out`). */
export class Subscription {
  readonly #subscriber: Subscriber
  readonly #guard: StreamGuard | undefined

  constructor(subscriber: Subscriber, guard: StreamGuard | undefined) {
    this.#subscriber = subscriber
    this.#guard = guard
  }

  /** Length of the events that wait because the sink has no room, in UTF-16 code units. */
  get waitingLength(): number {
    return this.#subscriber.waitingLength
  }

  /** Stops the delivery: the sink gets nothing any more. */
  close(): void {
    this.#guard?.release()
    this.#subscriber.close()
  }

  /** Ends the stream, and its sink with a reason. */
  end(reason: EndReason): void {
    this.#guard?.release()
    this.#subscriber.end(reason)
  }
}
