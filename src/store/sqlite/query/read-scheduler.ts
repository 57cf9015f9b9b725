import pLimit from 'p-limit'
import { DholeError } from '../../../error.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'
import { runBriefly, runInTurns } from '../../../scheduling/turns.ts'
import type { AuthorizeRead } from '../../../tree/read-program.ts'
import type { ReadLimit } from '../../store.ts'
import type { Snapshot, Snapshots } from '../commit/snapshots.ts'
import type { SettingTexts } from '../log/settings.ts'
import { runReads } from '../tree/run-program.ts'

/** ReadScheduler that take several turns, at once: each holds a snapshot and a growing text. */
const LONG_READS = 4

/** ReadSteps that no request has asked for. */
export const UNLIMITED: ReadLimit = { maxLength: Number.POSITIVE_INFINITY, timeoutMs: Number.POSITIVE_INFINITY }

/** A reading, begun on a snapshot, that pauses between bounded steps. */
export type ReadSteps<T> = (snapshot: Snapshot) => Generator<void, T>

/** Runs readings so that none of them holds the event loop. */
export class ReadScheduler {
  readonly #snapshots: Snapshots
  readonly #settings: () => SettingTexts
  readonly #current: () => Snapshot
  readonly #check: () => void
  readonly #long = pLimit(LONG_READS)

  /**
   * @param settings texts beside the tree as of the latest durable commit
   * @param current the latest durable commit
   * @param check throws once nobody may read any more
   */
  constructor(snapshots: Snapshots, settings: () => SettingTexts, current: () => Snapshot, check: () => void) {
    this.#snapshots = snapshots
    this.#settings = settings
    this.#current = current
    this.#check = check
  }

  /**
   * Whether a cached answer about the current commit may be returned.
   * @returns `false` when the authorisation takes too long for one turn
   * @throws what the authorisation throws
   */
  isAllowedNow(authorize: AuthorizeRead | undefined): boolean {
    const logic = authorize?.()
    return logic === undefined || runBriefly(runReads(logic, this.#current().tree, this.#settings())) !== undefined
  }

  /** Most reads end at once. One that does not gives way to others between its steps, on the snapshot it began with. */
  run<T>(limit: ReadLimit, authorize: AuthorizeRead | undefined, reading: ReadSteps<T>): Awaitable<T> {
    const start = authorize === undefined ? reading : this.#authorized(authorize, reading)
    const snapshot = this.#current()
    const steps = start(snapshot)
    const finished = runBriefly(steps)
    if (finished !== undefined) return finished.value
    if (this.#long.activeCount >= LONG_READS) {
      // A queue of half-done reads would hold a snapshot each: this one starts over when its turn comes.
      return this.#long(() => {
        const current = this.#current()
        this.#snapshots.retain(current)
        return this.#runInTurns(limit, current, start)
      })
    }
    // Not when the rest of it begins: this very turn may still let go of the snapshot, for a log that is too long.
    this.#snapshots.retain(snapshot)
    return this.#long(() => this.#runInTurns(limit, snapshot, () => steps))
  }

  /** The authorisation sees the settings of the commit that is read. */
  #authorized<T>(authorize: AuthorizeRead, reading: ReadSteps<T>): ReadSteps<T> {
    return (snapshot) => {
      const logic = authorize()
      if (logic === undefined) return reading(snapshot)
      return authorizedSteps(runReads(logic, snapshot.tree, this.#settings()), snapshot, reading)
    }
  }

  /** Resolves when no long read is left; they end at their next step once nobody may read. */
  async ended(): Promise<void> {
    while (this.#long.activeCount > 0) await new Promise(setImmediate)
  }

  /** @param snapshot retained for it; it is released when the read ends */
  async #runInTurns<T>(limit: ReadLimit, snapshot: Snapshot, start: ReadSteps<T>): Promise<T> {
    const deadline = performance.now() + limit.timeoutMs
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

function* authorizedSteps<T>(
  authorization: Generator<void, unknown>,
  snapshot: Snapshot,
  reading: ReadSteps<T>,
): Generator<void, T> {
  yield* authorization
  return yield* reading(snapshot)
}
