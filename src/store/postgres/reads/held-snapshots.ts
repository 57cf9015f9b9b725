import { DholeError } from '../../../error.ts'
import type { Parameter, Statements } from '../connection/lane.ts'
import type { Lanes } from '../connection/lanes.ts'

/** It takes no snapshot: the next statement does. */
const NO_TIMEOUT = 'SET LOCAL idle_in_transaction_session_timeout = 0'

/** A snapshot that is held until it is released. */
export interface HeldSnapshot extends Statements {
  /** May be called more than once. */
  release(): void
}

/**
 * Snapshots of exports, which last as long as their callers take the pieces, but not longer than the store. Each has a
 * place among the long reads.
 */
export class HeldSnapshots {
  readonly #lanes: Lanes
  readonly #held = new Set<() => void>()
  readonly #ended = new Set<Promise<void>>()
  #isClosed = false

  constructor(lanes: Lanes) {
    this.#lanes = lanes
  }

  /** Resolves when a place and a connection are free. @throws `unavailable` */
  async hold(): Promise<HeldSnapshot> {
    const opened = Promise.withResolvers<Statements>()
    const released = Promise.withResolvers<void>()
    const ended = this.#lanes.long
      .run(() => {
        if (this.#isClosed) throw new DholeError('unavailable')
        return this.#lanes.snapshot(async (statements) => {
          // The caller may take the next piece when it likes.
          await statements.query(NO_TIMEOUT)
          opened.resolve(statements)
          await released.promise
        })
      })
      .catch(opened.reject)
      .finally(() => this.#ended.delete(ended))
    this.#ended.add(ended)
    this.#held.add(released.resolve)
    let isReleased = false
    const check = () => {
      if (isReleased || this.#isClosed) throw new DholeError('unavailable')
    }
    const statements = await opened.promise.catch((error: unknown) => {
      this.#held.delete(released.resolve)
      throw error instanceof DholeError ? error : new DholeError('unavailable', undefined, { cause: error })
    })
    return {
      query: async <R extends object>(text: string, parameters: readonly Parameter[] = []) => {
        check()
        try {
          return await statements.query<R>(text, parameters)
        } catch (error) {
          throw new DholeError('unavailable', undefined, { cause: error })
        }
      },
      release: () => {
        isReleased = true
        this.#held.delete(released.resolve)
        released.resolve()
      },
    }
  }

  /** Releases all of them, and those that wait. Resolves when their connections are free. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const release of this.#held) release()
    await Promise.all(this.#ended)
  }
}
