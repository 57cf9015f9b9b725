import { DholeError } from '../../../error.ts'
import type { Observer } from '../../../observer.ts'
import type { AppliedTree } from '../applied-tree.ts'
import { Patience } from '../commit/committer.ts'
import type { Lanes } from '../connection/lanes.ts'
import { type ForeignRow, headOf, nextBatchOf, PAGE_ROWS, rowsAfter } from './foreign-batches.ts'
import type { Freshness } from './freshness.ts'
import type { History } from './history.ts'

/** Age up to which an answer from memory is recent, in milliseconds. */
const RECENT_MS = 1000

const IS_THERE = 'SELECT 1 AS one FROM log WHERE tree = $1::int AND batch = $2::bigint AND stamp = $3::text'
const RENEW = 'UPDATE application SET epoch = $2::text WHERE tree = $1::int AND epoch = $3::text'

type FollowerObserver = Pick<Observer, 'followerLagged' | 'followerReset'>

/** Applies the batches that other processes commit to one tree, in order, each once. */
export class Follower {
  readonly #lanes: Lanes
  readonly #tree: AppliedTree
  readonly #freshness: Freshness
  readonly #history: History
  /** When the last question was asked whose answer is applied, by `performance.now()`. */
  #askedAt = Number.NEGATIVE_INFINITY
  /** What calls wait for until its question is sent. */
  #shared: { readonly question: object; readonly fresh: Promise<void> } | undefined
  /** Resolves when the rows that are being read are applied. */
  #applying: Promise<void> | undefined
  readonly #observer: FollowerObserver

  constructor(
    lanes: Lanes,
    tree: AppliedTree,
    freshness: Freshness,
    history: History,
    observer: FollowerObserver = {},
  ) {
    this.#observer = observer
    this.#lanes = lanes
    this.#history = history
    this.#tree = tree
    this.#freshness = freshness
  }

  /** Whether every batch is applied that was committed more than a second ago. */
  get isRecent(): boolean {
    return performance.now() - this.#askedAt < RECENT_MS
  }

  /** Every batch is applied that was committed before a time. @param time by `performance.now()` */
  appliedUpTo(time: number): void {
    this.#askedAt = Math.max(this.#askedAt, time)
  }

  /**
   * Resolves when every batch that was committed before the call is applied.
   * @param waitMs how long to wait for a database that is away, in milliseconds
   * @throws `unavailable`
   */
  fresh(waitMs: number): Promise<void> {
    const question = this.#freshness.join(this.#tree.tree)
    if (this.#shared?.question === question) return this.#shared.fresh
    const fresh = this.#fresh(waitMs)
    this.#shared = { question, fresh }
    return fresh
  }

  async #fresh(waitMs: number): Promise<void> {
    try {
      await this.pull()
    } catch (error) {
      await this.#pullLater(error, waitMs)
    }
  }

  /** A connection that was idle may have been lost since: a new one may serve. */
  async #pullLater(failure: unknown, waitMs: number): Promise<void> {
    const patience = new Patience(waitMs)
    try {
      await patience.after(failure)
      await patience.run(() => this.pull())
    } catch (error) {
      throw error instanceof DholeError ? error : new DholeError('unavailable', undefined, { cause: error })
    }
  }

  /** As `fresh`. @throws what the database throws */
  async pull(): Promise<void> {
    const askedAt = performance.now()
    const { batch } = this.#tree.batch
    const head = await this.#freshness.headOf(this.#tree.tree)
    if (head < batch) await this.replaced()
    else await this.reach(head)
    const { settled } = this.#history
    if (settled !== undefined) {
      await settled
      // The tree went on from a batch that was read meanwhile, which may be one before.
      return await this.pull()
    }
    this.appliedUpTo(askedAt)
  }

  /**
   * Finds out whether the applied batch is still there. If not, an older state of the database was put back: the application
   * gets a new epoch. @throws what the database throws
   */
  async replaced(): Promise<void> {
    const { tree, epoch, batch } = this.#tree
    const rows = await this.#lanes.query(IS_THERE, [tree, batch.batch, batch.stamp])
    if (rows.length > 0 || this.#tree.batch !== batch) return
    await this.#lanes.query(RENEW, [tree, crypto.randomUUID(), epoch])
    await this.rebase()
  }

  /** Goes on from the state that the database has now, if the application has another epoch. @throws what the database throws */
  async rebase(): Promise<void> {
    const { epoch, ...head } = await headOf(this.#lanes, this.#tree.tree)
    if (epoch !== this.#tree.epoch) this.#tree.replace(epoch, head)
  }

  /**
   * Resolves when a batch is applied that is committed.
   * @throws `unavailable` when it is gone with its tree, and what the database throws
   */
  async reach(batch: number): Promise<void> {
    while (this.#tree.batch.batch < batch) {
      // The rows that are being read may have been read before that batch.
      if (this.#applying !== undefined) await this.#applying.catch(() => {})
      else {
        const before = this.#tree.batch.batch
        this.#observer.followerLagged?.(batch - before)
        await this.#catchUp()
        if (this.#tree.batch.batch === before) throw new DholeError('unavailable')
      }
    }
  }

  /**
   * Applies rows that were read elsewhere, oldest first. Those that are applied already are left out.
   * @returns `false` when one does not follow the applied batch
   */
  applyRows(rows: readonly ForeignRow[]): boolean {
    for (const row of rows) {
      const { batch } = this.#tree.batch
      if (row.batch <= batch) continue
      if (row.batch !== batch + 1) return false
      this.#tree.apply(nextBatchOf(row, this.#tree.settings))
    }
    return true
  }

  #catchUp(): Promise<void> {
    this.#applying = this.#applyAll().finally(() => {
      this.#applying = undefined
    })
    return this.#applying
  }

  async #applyAll(): Promise<void> {
    const { tree } = this.#tree
    for (;;) {
      const rows = await rowsAfter(this.#lanes, tree, this.#tree.batch.batch)
      for (const row of rows) {
        // The process that commits a batch applies it itself.
        if (row.stamp === this.#tree.committing?.stamp) await this.#tree.committing.ended
        if (!this.applyRows([row])) return await this.#begin()
      }
      if (rows.length < PAGE_ROWS) return
    }
  }

  /** Goes on from the last batch: the log does not reach back to the applied one. */
  async #begin(): Promise<void> {
    this.#observer.followerReset?.()
    const head = await headOf(this.#lanes, this.#tree.tree)
    if (head.batch.batch > this.#tree.batch.batch) this.#tree.apply(head)
  }
}
