import { DholeError } from '../../../error.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'
import { loopTurn } from '../../../scheduling/loop-turn.ts'
import { TaskLimit } from '../../../scheduling/task-limit.ts'
import { runBriefly, runInTurns } from '../../../scheduling/turns.ts'
import type { AuthorizeRead, Reads as ReadingLogic } from '../../../tree/read-program.ts'
import type { ReadLimit } from '../../store.ts'
import type { Snapshot, Snapshots } from '../commit/snapshots.ts'
import type { SettingTexts } from '../log/settings.ts'
import { runReads } from '../tree/run-program.ts'

/** Maximum long reads at a time: each holds a snapshot and a growing text. */
const LONG_READS = 4

/** Limit of internal reads. */
export const UNLIMITED: ReadLimit = { maxLength: Number.POSITIVE_INFINITY, timeoutMs: Number.POSITIVE_INFINITY }

/** A read on a snapshot that pauses between bounded steps. */
export type ReadSteps<T> = (snapshot: Snapshot) => Generator<void, T>

/** Runs reads in turns of the event loop, so that no read blocks it. */
export class ReadScheduler {
  readonly #snapshots: Snapshots
  readonly #settings: () => SettingTexts
  readonly #current: () => Snapshot
  readonly #check: () => void
  readonly #long = new TaskLimit(LONG_READS)
  /** Number of reads that wait for the rest of their first turn. */
  #interrupted = 0

  /**
   * @param settings the settings as of the latest durable commit
   * @param current the snapshot of the latest durable commit
   * @param check throws once the store is closed
   */
  constructor(snapshots: Snapshots, settings: () => SettingTexts, current: () => Snapshot, check: () => void) {
    this.#snapshots = snapshots
    this.#settings = settings
    this.#current = current
    this.#check = check
  }

  /** Runs logic on the current commit, and says whether it ended in one turn. @throws what it throws */
  endsInOneTurn(logic: ReadingLogic<unknown>): boolean {
    return runBriefly(runReads(logic, this.#current().tree, this.#settings())) !== undefined
  }

  /** Most reads end in one turn. A longer one pauses between its steps and stays on its first snapshot. */
  run<T>(limit: ReadLimit, authorize: AuthorizeRead | undefined, reading: ReadSteps<T>): Awaitable<T> {
    const start = authorize === undefined ? reading : this.#authorized(authorize, reading)
    const snapshot = this.#current()
    const steps = start(snapshot)
    const isShared = loopTurn.hasBegun
    const finished = runBriefly(steps)
    if (finished !== undefined) return finished.value
    return isShared ? this.#runAgain(limit, snapshot, steps, start) : this.#runLong(limit, snapshot, steps, start)
  }

  /** Goes on with a read that had little time because other work took most of the turn: it need not be a long one. */
  async #runAgain<T>(limit: ReadLimit, snapshot: Snapshot, steps: Generator<void, T>, start: ReadSteps<T>): Promise<T> {
    this.#snapshots.retain(snapshot)
    this.#interrupted++
    let long: Promise<T>
    try {
      await loopTurn.pause(true)
      this.#check()
      const finished = runBriefly(steps)
      if (finished !== undefined) return finished.value
      long = this.#runLong(limit, snapshot, steps, start)
    } finally {
      this.#interrupted--
      this.#snapshots.release(snapshot)
    }
    return long
  }

  #runLong<T>(limit: ReadLimit, snapshot: Snapshot, steps: Generator<void, T>, start: ReadSteps<T>): Promise<T> {
    if (this.#long.running >= LONG_READS) {
      // Each waiting read would hold a snapshot: this one starts again when it is its turn.
      return this.#long.run(() => {
        const current = this.#current()
        this.#snapshots.retain(current)
        return this.#runInTurns(limit, current, start)
      })
    }
    // Retain it now: a checkpoint may release the snapshot before the next turn.
    this.#snapshots.retain(snapshot)
    return this.#long.run(() => this.#runInTurns(limit, snapshot, () => steps))
  }

  /** Adds the authorisation, which sees the settings of the commit that is read. */
  #authorized<T>(authorize: AuthorizeRead, reading: ReadSteps<T>): ReadSteps<T> {
    return (snapshot) => {
      const logic = authorize()
      if (logic === undefined) return reading(snapshot)
      return authorizedSteps(runReads(logic, snapshot.tree, this.#settings()), snapshot, reading)
    }
  }

  /** Resolves when all reads have ended; on a closed store they end at their next step. */
  async ended(): Promise<void> {
    while (this.#long.running > 0 || this.#interrupted > 0) await new Promise(setImmediate)
  }

  /** @param snapshot retained by the caller; released when the read ends */
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
