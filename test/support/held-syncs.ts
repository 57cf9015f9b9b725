import { fdatasync } from 'node:fs'
import type { SqliteOptions } from '../../src/store/sqlite/sqlite-options.ts'
import { turns } from './store.ts'

type SyncLog = NonNullable<SqliteOptions['syncLog']>

/** Syncs of the log that wait until the test lets them go or fail. */
export class HeldSyncs {
  holding = false
  readonly #waiting: { release(): void; end(error: Error | null): void }[] = []

  readonly syncLog: SyncLog = (descriptor, done) => {
    const release = () => fdatasync(descriptor, done)
    if (this.holding) this.#waiting.push({ release, end: done })
    else release()
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Waits until a sync has been asked for. */
  async arrived(): Promise<void> {
    while (this.#waiting.length === 0) await turns(1)
    // Time enough for whatever would go wrong meanwhile.
    await turns(20)
  }

  release(): void {
    this.holding = false
    for (const { release } of this.#waiting.splice(0)) release()
  }

  /** Ends them in this very moment. */
  end(error: Error | null): void {
    for (const { end } of this.#waiting.splice(0)) end(error)
  }
}
