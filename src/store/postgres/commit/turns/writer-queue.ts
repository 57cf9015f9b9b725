import type { AppliedTree } from '../../applied-tree.ts'
import { isServerError } from '../../connection/database-errors.ts'
import type { Lanes } from '../../connection/lanes.ts'
import type { Follower } from '../../follow/follower.ts'
import { BatchConflict } from '../batch-conflict.ts'
import type { Patience } from '../committer.ts'
import { accessInTurn, freeAccess, type WriteAccess } from './write-access.ts'
import { WriteTurn } from './write-turn.ts'

/** How long batches queue after one of another process was met, in milliseconds. */
const QUEUE_MS = 1000
/** How long this process writes without the lock after a wait in vain, in milliseconds. */
const VAIN_MS = 3000

/** SQLSTATE of a lock that was not free in time. */
const LOCK_TIMEOUT = '55P03'

/**
 * Decides whether the batches of this process queue. A process that writes alone commits without waiting, and only looks
 * whether others do.
 */
export class WriterQueue {
  readonly #lanes: Lanes
  readonly #tree: AppliedTree
  readonly #follower: Follower
  #queuesUntil = Number.NEGATIVE_INFINITY
  #ignoredUntil = Number.NEGATIVE_INFINITY

  constructor(lanes: Lanes, tree: AppliedTree, follower: Follower) {
    this.#lanes = lanes
    this.#tree = tree
    this.#follower = follower
    tree.onApplied(({ isForeign }) => {
      if (isForeign === true) this.metOther()
    })
  }

  /** Another process writes. */
  metOther(): void {
    this.#queuesUntil = performance.now() + QUEUE_MS
  }

  /** Runs one attempt to write a batch, in its turn if it must queue. @throws what the attempt and the database throw */
  async run<T>(patience: Patience, attempt: (access: WriteAccess) => Promise<T>): Promise<T> {
    // Reads that wait for the batch must not wait for its connection.
    await this.#tree.unheld()
    const now = performance.now()
    const isIgnored = now < this.#ignoredUntil
    if (isIgnored || now >= this.#queuesUntil) return await attempt(freeAccess(this.#lanes, patience, !isIgnored))
    return await this.#lanes.queued.run(async () => {
      const turn = await this.#turn()
      if (turn === undefined) return await attempt(freeAccess(this.#lanes, patience, false))
      try {
        return await this.#inTurn(turn, attempt)
      } finally {
        turn.end()
      }
    })
  }

  async #inTurn<T>(turn: WriteTurn, attempt: (access: WriteAccess) => Promise<T>): Promise<T> {
    const { batch } = this.#tree.batch
    try {
      return await attempt(accessInTurn(this.#lanes, turn))
    } catch (error) {
      // What was read of two batches may be wrong in any way.
      if (!(error instanceof BatchConflict) && (await turn.isOutrun(batch))) throw new BatchConflict()
      throw error
    }
  }

  /** @returns `undefined` when others keep the lock for longer than a writer can: it is not needed for safety */
  async #turn(): Promise<WriteTurn | undefined> {
    const { tree } = this.#tree
    try {
      return await WriteTurn.begin(this.#lanes, tree, () => this.#tree.batch.batch, this.#follower)
    } catch (error) {
      if (!isServerError(error) || error.errno !== LOCK_TIMEOUT) throw error
      this.#ignoredUntil = performance.now() + VAIN_MS
      return undefined
    }
  }
}
