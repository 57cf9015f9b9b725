import { arrayOf } from '../connection/arrays.ts'
import type { Lanes } from '../connection/lanes.ts'

/** Last batches of trees: the numbers of the trees that have one, and of those batches. */
const HEADS =
  'SELECT t.tree, h.batch::float8 AS batch FROM unnest($1::int[]) AS t(tree) ' +
  'CROSS JOIN LATERAL (SELECT l.batch FROM log l WHERE l.tree = t.tree ORDER BY l.batch DESC LIMIT 1) h'

/** A question that has not been sent yet. */
interface OpenQuestion {
  readonly trees: Set<number>
  readonly heads: Promise<ReadonlyMap<number, number>>
}

/** Asks the database for the last batches of trees, with one statement for all that ask in one turn of the event loop. */
export class Freshness {
  readonly #lanes: Lanes
  #open: OpenQuestion | undefined

  constructor(lanes: Lanes) {
    this.#lanes = lanes
  }

  /** Number of the last batch of a tree that was committed before the call. @throws what the database throws */
  async headOf(tree: number): Promise<number> {
    this.#open ??= this.#begin()
    this.#open.trees.add(tree)
    return (await this.#open.heads).get(tree) ?? 0
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
      return this.headsOf(trees)
    })
    return { trees, heads }
  }
}
