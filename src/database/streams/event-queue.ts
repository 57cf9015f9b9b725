import { DholeError } from '../../error.ts'
import type { EventBatch, NumberedEvent } from '../../hub/event-batch.ts'
import { type EndReason, NO_ROOM, type Sink, TOO_LARGE } from '../../hub/subscriber.ts'

/** Hands the events of a stream to a loop, one by one. While some wait, it has no room for more. */
export class EventQueue implements Sink {
  #events: NumberedEvent[] = []
  #room: PromiseWithResolvers<void> | undefined
  #wake: (() => void) | undefined
  #ended = false
  #reason: EndReason | undefined

  write(batch: EventBatch): Promise<void> {
    // A list of many events is no list of arguments.
    for (const event of batch.events) this.#events.push(event)
    this.#wake?.()
    this.#room ??= Promise.withResolvers<void>()
    return this.#room.promise
  }

  keepAlive(): void {}

  /** A loop may take its time. */
  abort(): void {}

  end(reason?: EndReason): void {
    this.#ended = true
    this.#reason = reason
    this.#wake?.()
  }

  /** @throws `read-too-big`, `too-busy`, `permission-denied`, `token-expired` when that is why nothing more comes */
  check(): void {
    if (this.#reason !== undefined) throw endError(this.#reason)
  }

  /** The next event; `undefined` when there will be none. */
  async next(): Promise<NumberedEvent | undefined> {
    while (this.#events.length === 0 && !this.#ended) {
      this.#room?.resolve()
      this.#room = undefined
      // Whoever has waited for room may have brought something already.
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

/** Why a stream has ended, as an error: `read-too-big`, `too-busy`, `permission-denied` or `token-expired`. */
export function endError(reason: EndReason): DholeError {
  if (reason === TOO_LARGE) return new DholeError('read-too-big')
  if (reason === NO_ROOM) return new DholeError('too-busy')
  return new DholeError(reason.kind === 'cancel' ? 'permission-denied' : 'token-expired')
}
