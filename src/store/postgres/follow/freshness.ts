import { arrayOf } from '../connection/arrays.ts'
import type { Lanes } from '../connection/lanes.ts'

/** Last batches of trees: the numbers of the trees that have one, and of those batches. */
const HEADS =
  'SELECT t.tree, h.batch::float8 AS batch FROM unnest($1::int[]) AS t(tree) ' +
  'CROSS JOIN LATERAL (SELECT l.batch FROM log l WHERE l.tree = t.tree ORDER BY l.batch DESC LIMIT 1) h'

/** Reads of a question from which on the next ones gather until it is answered: there will be as many again. */
const MANY_READS = 8
/** Longest time that reads gather, in milliseconds: the connection of a question may be lost. */
const GATHER_MS = 5

/** A question with the reads that it answers. */
interface Question {
  readonly trees: Set<number>
  reads: number
  readonly heads: Promise<ReadonlyMap<number, number>>
}

/**
 * Asks the database for the last batches of trees, with one statement for all that ask in one turn of the event loop; of many,
 * while the question before is under way.
 */
export class Freshness {
  readonly #lanes: Lanes
  /** The one that has not been sent yet. */
  #open: Question | undefined
  /** Resolves when the last one that was sent for many reads is answered. */
  #pending: Promise<unknown> | undefined

  readonly #onAsked: (reads: number) => void

  /** @param onAsked called with the number of calls that a question answers */
  constructor(lanes: Lanes, onAsked: (reads: number) => void = () => {}) {
    this.#lanes = lanes
    this.#onAsked = onAsked
  }

  /** Number of the last batch of a tree that was committed before the call. @throws what the database throws */
  async headOf(tree: number): Promise<number> {
    this.#open ??= this.#begin()
    const question = this.#open
    question.trees.add(tree)
    return (await question.heads).get(tree) ?? 0
  }

  /** Counts a read that the next question answers. @returns the question; reads with the same one may share what they wait for */
  join(tree: number): object {
    this.#open ??= this.#begin()
    this.#open.trees.add(tree)
    this.#open.reads++
    return this.#open
  }

  /** Numbers of the last batches by tree. @throws what the database throws */
  async headsOf(trees: Iterable<number>): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#lanes.query<{ tree: number; batch: number }>(HEADS, [arrayOf([...trees])])
    return new Map(rows.map(({ tree, batch }) => [tree, batch]))
  }

  #begin(): Question {
    const trees = new Set<number>()
    const question: Question = { trees, reads: 0, heads: new Promise(setImmediate).then(() => this.#ask(question)) }
    return question
  }

  async #ask(question: Question): Promise<ReadonlyMap<number, number>> {
    if (this.#pending !== undefined) await Promise.race([this.#pending, Bun.sleep(GATHER_MS)])
    this.#open = undefined
    this.#onAsked(question.reads)
    const heads = this.headsOf(question.trees)
    if (question.reads >= MANY_READS) {
      const pending: Promise<void> = heads
        .catch(() => {})
        .then(() => {
          if (this.#pending === pending) this.#pending = undefined
        })
      this.#pending = pending
    }
    return heads
  }
}
