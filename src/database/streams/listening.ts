import type { Subscriber } from '../../hub/subscriber.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { Access } from '../access/access.ts'
import type { GuardedCaller } from './guarded.ts'
import type { StreamGuard } from './stream-guard.ts'
import { Subscription } from './subscription.ts'

/** Delivers published commits. */
interface Deliveries {
  /** Resolves when every commit up to one was delivered. */
  delivered(seq: number): Awaitable<unknown>
}

/** An open stream whose caller may change. */
export class Listening extends Subscription {
  readonly #subscriber: Subscriber
  readonly #guard: StreamGuard | undefined
  readonly #deliveries: Deliveries
  readonly #guarded: (access: Access) => GuardedCaller | undefined

  /** @param guarded how another caller is decided for */
  constructor(
    subscriber: Subscriber,
    guard: StreamGuard | undefined,
    deliveries: Deliveries,
    guarded: (access: Access) => GuardedCaller | undefined,
  ) {
    super(subscriber, guard)
    this.#subscriber = subscriber
    this.#guard = guard
    this.#deliveries = deliveries
    this.#guarded = guarded
  }

  /**
   * Has a mark written to the sink, behind the events of all commits up to one. A beginning that covers it may take its
   * place, and the end of the stream too.
   */
  mark(seq: number): void {
    const delivered = this.#deliveries.delivered(seq)
    if (delivered instanceof Promise) void delivered.then(() => this.#subscriber.mark(seq))
    else this.#subscriber.mark(seq)
  }

  /** Begins the stream anew: the sink gets the present data in place of the events that wait. */
  beginAgain(): void {
    this.#subscriber.beginAgain()
  }

  /** Decides for another caller from now on. Resolves when the stream has ended if that one may not read it. */
  async changeCaller(access: Access): Promise<void> {
    const guarded = this.#guarded(access)
    if (guarded !== undefined) await this.#guard?.changeCaller(guarded)
  }
}
