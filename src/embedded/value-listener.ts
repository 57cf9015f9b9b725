import { endError } from '../database/streams/event-queue.ts'
import type { Subscription } from '../database/streams/subscription.ts'
import type { EndReason, Sink } from '../hub/sink.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { ReadText } from '../tree/json/node-text.ts'

/** Callbacks of a listener. */
export interface ValueCallbacks {
  readonly onValue: (node: ReadText | undefined) => void
  /** Called at most once; no call follows. */
  readonly onError: (error: unknown) => void
}

/**
 * Reads a node again when a stream reports a change. It stores no events: any number of changes during a read cause one
 * more read.
 */
export class ValueListener implements Sink {
  readonly #read: () => Awaitable<ReadText | undefined>
  readonly #callbacks: ValueCallbacks
  #subscription: Subscription | undefined
  #state: 'idle' | 'reading' | 'changed' | 'ended' = 'idle'
  /** Tag of the last delivered value. */
  #etag: string | null | undefined = null

  constructor(read: () => Awaitable<ReadText | undefined>, callbacks: ValueCallbacks) {
    this.#read = read
    this.#callbacks = callbacks
  }

  /** @param subscribe starts the stream */
  async start(subscribe: (sink: Sink) => Promise<Subscription>): Promise<void> {
    try {
      const subscription = await subscribe(this)
      if (this.#state === 'ended') subscription.close()
      else this.#subscription = subscription
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Stops listening: no callback follows. */
  stop(): void {
    this.#state = 'ended'
    this.#subscription?.close()
    this.#subscription = undefined
  }

  write(): undefined {
    if (this.#state === 'reading') this.#state = 'changed'
    if (this.#state === 'idle') void this.#deliver()
  }

  keepAlive(): void {}

  abort(): void {}

  end(reason?: EndReason): void {
    const error = reason && endError(reason)
    // No reason: the database is closing.
    if (error === undefined) this.stop()
    else this.#fail(error)
  }

  async #deliver(): Promise<void> {
    try {
      do {
        this.#state = 'reading'
        const node = await this.#read()
        if (this.#hasEnded()) return
        if (node?.etag !== this.#etag) {
          this.#etag = node?.etag
          this.#callbacks.onValue(node)
        }
      } while (this.#hasChanged())
      if (!this.#hasEnded()) this.#state = 'idle'
    } catch (error) {
      this.#fail(error)
    }
  }

  #hasEnded(): boolean {
    return this.#state === 'ended'
  }

  #hasChanged(): boolean {
    return this.#state === 'changed'
  }

  #fail(error: unknown): void {
    if (this.#state === 'ended') return
    this.stop()
    this.#callbacks.onError(error)
  }
}
