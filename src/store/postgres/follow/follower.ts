import { DholeError } from '../../../error.ts'
import type { AppliedTree } from '../applied-tree.ts'
import type { Lanes } from '../connection/lanes.ts'
import { headOf, nextBatchOf, PAGE_ROWS, rowsAfter } from './foreign-batches.ts'
import type { Freshness } from './freshness.ts'

/** Applies the batches that other processes commit to one tree, in order, each once. */
export class Follower {
  readonly #lanes: Lanes
  readonly #tree: AppliedTree
  readonly #freshness: Freshness
  /** Resolves when the rows that are being read are applied. */
  #applying: Promise<void> | undefined

  constructor(lanes: Lanes, tree: AppliedTree, freshness: Freshness) {
    this.#lanes = lanes
    this.#tree = tree
    this.#freshness = freshness
  }

  /** Resolves when every batch that was committed before the call is applied. @throws `unavailable` */
  async fresh(): Promise<void> {
    try {
      await this.pull()
    } catch (error) {
      throw error instanceof DholeError ? error : new DholeError('unavailable', undefined, { cause: error })
    }
  }

  /** As `fresh`. @throws what the database throws */
  async pull(): Promise<void> {
    await this.reach(await this.#freshness.headOf(this.#tree.tree))
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
        await this.#catchUp()
        if (this.#tree.batch.batch === before) throw new DholeError('unavailable')
      }
    }
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
        const { batch } = this.#tree.batch
        if (row.batch <= batch) continue
        if (row.batch !== batch + 1) return await this.#begin()
        this.#tree.apply(nextBatchOf(row, this.#tree.settings))
      }
      if (rows.length < PAGE_ROWS) return
    }
  }

  /** Goes on from the last batch: the log does not reach back to the applied one. */
  async #begin(): Promise<void> {
    const head = await headOf(this.#lanes, this.#tree.tree)
    if (head.batch.batch > this.#tree.batch.batch) this.#tree.apply(head)
  }
}
