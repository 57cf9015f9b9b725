import { perConnection } from './tables.ts'

/** Most batches of which a message is remembered: some 50 bytes each. */
const MAX_BATCHES = 20_000

/**
 * One message of a batch that is known to have no final state, so that a report to another one need not look for it.
 * What a transaction that is rolled back has forgotten is looked up again.
 */
class OpenMessages {
  /** Positions by row id of the batch. */
  readonly #positions = new Map<number, number>()

  has(batchId: number): boolean {
    return this.#positions.has(batchId)
  }

  add(batchId: number, position: number): void {
    this.#positions.set(batchId, position)
    if (this.#positions.size <= MAX_BATCHES) return
    const [oldest = batchId] = this.#positions.keys()
    this.#positions.delete(oldest)
  }

  /** The message has a final state. */
  close(batchId: number, position: number): void {
    if (this.#positions.get(batchId) === position) this.#positions.delete(batchId)
  }

  /** The batch is new: an earlier one may have had its row id. */
  forget(batchId: number): void {
    this.#positions.delete(batchId)
  }
}

/** Those of the connection that writes. */
export const openMessages = perConnection(() => new OpenMessages())
