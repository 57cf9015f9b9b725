import type { Statements } from '../connection/lane.ts'

/** Entries removed in one step. */
const STEP_ENTRIES = 1024

const DROPPED = `SELECT id::float8 AS id FROM index_definition
WHERE tree = $1::int AND list_id < 0 AND id > $2::bigint ORDER BY id LIMIT 1`
const REMOVE_PAGE = `WITH gone AS (DELETE FROM index_entry WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM index_entry WHERE tree = $1::int AND index_id = $2::bigint LIMIT $3::int)) RETURNING 1)
SELECT count(*)::int AS count FROM gone`
const REMOVE_DEFINITION = `DELETE FROM index_definition d WHERE d.tree = $1::int AND d.id = $2::bigint AND d.list_id < 0
AND NOT EXISTS (SELECT FROM index_entry e WHERE e.tree = $1::int AND e.index_id = $2::bigint)`

/** Removes the entries of dropped indexes in bounded steps. No reader can see them, so they are no part of a batch. */
export class EntryRemoval {
  readonly #statements: Statements
  readonly #tree: number
  readonly #onFailed: (error: unknown) => void
  /** Whether a dropped index may be left. */
  #isExpected = false
  #running: Promise<void> | undefined
  #isClosed = false

  /** @param onFailed the removal goes on when indexes are dropped the next time */
  constructor(statements: Statements, tree: number, onFailed: (error: unknown) => void) {
    this.#statements = statements
    this.#tree = tree
    this.#onFailed = onFailed
  }

  /** Indexes were dropped, or may have been before this process began. */
  expect(): void {
    this.#isExpected = true
    if (this.#isClosed) return
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#isExpected) this.expect()
    })
  }

  /** Resolves when nothing is left to remove, or the removal has failed. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  /** Resolves when no step runs. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#isExpected = false
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      while (this.#isExpected && !this.#isClosed) {
        this.#isExpected = false
        await this.#removeAll()
      }
    } catch (error) {
      this.#isExpected = false
      if (!this.#isClosed) this.#onFailed(error)
    }
  }

  async #removeAll(): Promise<void> {
    for (let after = 0; !this.#isClosed; ) {
      const [dropped] = await this.#statements.query<{ id: number }>(DROPPED, [this.#tree, after])
      if (dropped === undefined) return
      await this.#removeEntries(dropped.id)
      after = dropped.id
    }
  }

  async #removeEntries(id: number): Promise<void> {
    for (let removed = STEP_ENTRIES; removed === STEP_ENTRIES && !this.#isClosed; ) {
      const [page] = await this.#statements.query<{ count: number }>(REMOVE_PAGE, [this.#tree, id, STEP_ENTRIES])
      removed = page?.count ?? 0
      await new Promise(setImmediate)
    }
    await this.#statements.query(REMOVE_DEFINITION, [this.#tree, id])
  }
}
