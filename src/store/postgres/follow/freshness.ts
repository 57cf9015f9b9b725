import { arrayOf } from '../connection/arrays.ts'
import type { Lanes } from '../connection/lanes.ts'

/** Last batches of trees: the numbers of the trees that have one, and of those batches. */
const HEADS =
  'SELECT t.tree, h.batch::float8 AS batch FROM unnest($1::int[]) AS t(tree) ' +
  'CROSS JOIN LATERAL (SELECT l.batch FROM log l WHERE l.tree = t.tree ORDER BY l.batch DESC LIMIT 1) h'

/** A question that has not been sent yet. */
interface OpenQuestion {
  readonly trees: Set<number>
  reads: number
  readonly heads: Promise<ReadonlyMap<number, number>>
}

/** Asks the database for the last batches of trees, with one statement for all that ask in one turn of the event loop. */
export class Freshness {
  readonly #lanes: Lanes
  #open: OpenQuestion | undefined

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
    question.reads++
    return (await question.heads).get(tree) ?? 0
  }

  /** Numbers of the last batches by tree. @throws what the database throws */
  async headsOf(trees: Iterable<number>): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#lanes.query<{ tree: number; batch: number }>(HEADS, [arrayOf([...trees])])
    return new Map(rows.map(({ tree, batch }) => [tree, batch]))
  }

  #begin(): OpenQuestion {
    const trees = new Set<number>()
    const heads = new Promise(setImmediate).then(() => {
      this.#open = undefined
      this.#onAsked(question.reads)
      return this.headsOf(trees)
    })
    const question: OpenQuestion = { trees, reads: 0, heads }
    return question
  }
}
