import pLimit from 'p-limit'
import type { Awaitable } from '../../tree/awaitable.ts'
import { DholeError } from '../../tree/error.ts'
import type { ReadLimit } from '../store.ts'
import type { Snapshot, Snapshots } from './snapshots.ts'
import { runBriefly, runInTurns } from './steps.ts'

/** Reads that take several turns, at once: each holds a snapshot and a growing text. */
const LONG_READS = 4

/** Reading that no request has asked for. */
export const UNLIMITED: ReadLimit = { maxLength: Number.POSITIVE_INFINITY, timeoutMs: Number.POSITIVE_INFINITY }

/** A reading, begun on a snapshot, that pauses between bounded steps. */
export type Reading<T> = (snapshot: Snapshot) => Generator<void, T>

/** Runs readings so that none of them holds the event loop. */
export class Reads {
  readonly #snapshots: Snapshots
  readonly #current: () => Snapshot
  readonly #check: () => void
  readonly #long = pLimit(LONG_READS)

  /**
   * @param current the latest durable commit
   * @param check throws once nobody may read any more
   */
  constructor(snapshots: Snapshots, current: () => Snapshot, check: () => void) {
    this.#snapshots = snapshots
    this.#current = current
    this.#check = check
  }

  /** Most reads end at once. One that does not gives way to others between its steps, on the snapshot it began with. */
  run<T>(limit: ReadLimit, start: Reading<T>): Awaitable<T> {
    const snapshot = this.#current()
    const steps = start(snapshot)
    const finished = runBriefly(steps)
    if (finished !== undefined) return finished.value
    if (this.#long.activeCount >= LONG_READS) {
      // A queue of half-done reads would hold a snapshot each: this one starts over when its turn comes.
      return this.#long(() => this.#runInTurns(limit, this.#current(), start))
    }
    return this.#long(() => this.#runInTurns(limit, snapshot, () => steps))
  }

  /** Resolves when no long read is left; they end at their next step once nobody may read. */
  async ended(): Promise<void> {
    while (this.#long.activeCount > 0) await new Promise(setImmediate)
  }

  async #runInTurns<T>(limit: ReadLimit, snapshot: Snapshot, start: Reading<T>): Promise<T> {
    const deadline = performance.now() + limit.timeoutMs
    this.#snapshots.retain(snapshot)
    try {
      return await runInTurns(start(snapshot), () => {
        if (performance.now() > deadline) throw new DholeError('read-too-big')
        this.#check()
      })
    } finally {
      this.#snapshots.release(snapshot)
    }
  }
}
