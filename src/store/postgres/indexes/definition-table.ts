import { type BatchTransaction, LogFlag } from '../batch.ts'
import { arrayOf } from '../connection/arrays.ts'
import type { Statements } from '../connection/lane.ts'
import {
  DEFINITION_COLUMNS,
  DEFINITIONS_OF_LISTS,
  type DefinitionRow,
  definitionOf,
  type IndexDefinition,
} from './definition.ts'

const SELECT = `SELECT ${DEFINITION_COLUMNS} FROM index_definition d WHERE d.tree = $1::int AND d.list_id > 0`
const ALL = `${SELECT} ORDER BY d.list_id, d.id LIMIT $2::bigint`
const UNFINISHED = `${SELECT} AND d.built_to IS NOT NULL ORDER BY d.id LIMIT 1`
// A sweep may drop the index of a list that is not part of the tree any more: one of both waits for the other.
const LOCKED = `${SELECT} AND d.id = $2::bigint FOR UPDATE`
const COVERING = `${SELECT} AND d.covering ORDER BY d.id`
const UNUSED = `${SELECT} AND d.used_at < $2::bigint ORDER BY d.used_at LIMIT 128`
const COUNT = `SELECT coalesce(sum(d.entries), 0)::float8 AS entries FROM index_definition d
WHERE d.tree = $1::int AND d.list_id > 0`
const INSERT = `INSERT INTO index_definition (tree, id, list_id, path, built_to, has_cut, covering, used_at)
VALUES ($1::int, $2::bigint, $3::bigint, $4::text, '', false, $5::boolean, $6::bigint)`
const PROGRESS = `UPDATE index_definition SET built_to = $3::text, entries = entries + $4::bigint,
  has_cut = has_cut OR $5::boolean WHERE tree = $1::int AND id = $2::bigint`
const DROP = `UPDATE index_definition SET list_id = -id
WHERE tree = $1::int AND id = ANY($2::bigint[]) AND list_id > 0`
const UNCOVER = 'UPDATE index_definition SET covering = false WHERE tree = $1::int AND id = ANY($2::bigint[])'
const TOUCH = `UPDATE index_definition d SET used_at = s.at FROM unnest($2::bigint[], $3::bigint[], $4::bigint[])
  AS s(id, at, before) WHERE d.tree = $1::int AND d.id = s.id AND d.used_at < s.before`

/**
 * Drops the indexes of lists that are not part of the tree any more, outside of a batch. Parameters: number of the tree, ids
 * of the lists as `bigint[]`.
 */
export const DROP_LISTS =
  'UPDATE index_definition SET list_id = -id WHERE tree = $1::int AND list_id = ANY($2::bigint[])'

/** Reads definitions. */
export class DefinitionTable {
  readonly #statements: Statements
  readonly #tree: number

  constructor(statements: Statements, tree: number) {
    this.#statements = statements
    this.#tree = tree
  }

  ofLists(lists: readonly number[]): Promise<readonly IndexDefinition[]> {
    return this.#select(DEFINITIONS_OF_LISTS, arrayOf([...new Set(lists)]))
  }

  /** Those in use. @param limit default: all */
  all(limit = Number.MAX_SAFE_INTEGER): Promise<readonly IndexDefinition[]> {
    return this.#select(ALL, limit)
  }

  covering(): Promise<readonly IndexDefinition[]> {
    return this.#select(COVERING)
  }

  /** Some whose last recorded use is older. */
  unusedSince(before: number): Promise<readonly IndexDefinition[]> {
    return this.#select(UNUSED, before)
  }

  /** An incomplete one. */
  async unfinished(): Promise<IndexDefinition | undefined> {
    return (await this.#select(UNFINISHED))[0]
  }

  /** The definition, which does not change before the end of the transaction; `undefined` when it is dropped. */
  async locked(id: number): Promise<IndexDefinition | undefined> {
    return (await this.#select(LOCKED, id))[0]
  }

  /** Number of entries that the builds of all indexes have written. */
  async countEntries(): Promise<number> {
    const [row] = await this.#statements.query<{ entries: number }>(COUNT, [this.#tree])
    return row?.entries ?? 0
  }

  /** Records uses. @param share a use is recorded when the recorded one is older by this, in milliseconds */
  async touch(uses: ReadonlyMap<number, number>, share: number): Promise<void> {
    if (uses.size === 0) return
    const times = [...uses.values()]
    await this.#statements.query(TOUCH, [
      this.#tree,
      arrayOf([...uses.keys()]),
      arrayOf(times),
      arrayOf(times.map((at) => Math.floor(at - share))),
    ])
  }

  async #select(text: string, parameter?: string | number): Promise<readonly IndexDefinition[]> {
    const parameters = parameter === undefined ? [this.#tree] : [this.#tree, parameter]
    return (await this.#statements.query<DefinitionRow>(text, parameters)).map(definitionOf)
  }
}

/** Reads and changes definitions in the transaction of a batch. */
export class DefinitionWriter extends DefinitionTable {
  readonly #transaction: BatchTransaction

  constructor(transaction: BatchTransaction) {
    super(transaction.statements, transaction.tree)
    this.#transaction = transaction
  }

  /** Adds an empty, incomplete index. */
  async define(listId: number, name: string, covering: boolean): Promise<void> {
    const { now } = this.#transaction
    await this.#change(INSERT, this.#transaction.takeIds(1), listId, name, covering, now)
  }

  /** Records the progress of a build. @param added entries written */
  async progress(id: number, builtTo: string | null, added: number, hasCut: boolean): Promise<void> {
    await this.#change(PROGRESS, id, builtTo, added, hasCut)
  }

  /** Hides indexes at once; their entries are removed later. */
  async drop(definitions: readonly IndexDefinition[]): Promise<void> {
    if (definitions.length > 0) await this.#change(DROP, arrayOf(definitions.map(({ id }) => id)))
  }

  /** Writes and reads no texts in their entries from now on. Those that are there stay, and grow old. */
  async uncover(definitions: readonly IndexDefinition[]): Promise<void> {
    if (definitions.length > 0) await this.#change(UNCOVER, arrayOf(definitions.map(({ id }) => id)))
  }

  async #change(text: string, ...parameters: readonly (string | number | boolean | null)[]): Promise<void> {
    const { statements, tree, mark } = this.#transaction
    mark.call(this.#transaction, LogFlag.indexes)
    await statements.query(text, [tree, ...parameters])
  }
}
