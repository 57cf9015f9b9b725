import type { Slot } from '../../../rows/slot.ts'
import { arrayOf } from '../../connection/arrays.ts'
import type { Statements } from '../../connection/lane.ts'
import { ALONG_STEPS, columnsOf, INTERIOR, stepsOf } from '../../slot-steps.ts'
import { decodeText, encodeText } from '../text-parts.ts'
import type { Unknown } from '../working-tree.ts'
import type { BaseTree } from './base-tree.ts'

interface WalkRow {
  readonly n: number
  readonly kind: number
  readonly value: string | null
  readonly id: number | null
  readonly children: number | null
  readonly traits: number | null
}

/** Slots along many paths, with the rows of interior nodes. */
const WALK =
  `WITH RECURSIVE ${ALONG_STEPS} SELECT w.n, w.kind::int AS kind, w.value, w.id::float8 AS id, ` +
  `i.child_count AS children, i.traits FROM w ${INTERIOR}`

const NEIGHBORS = ['before', 'after']
  .map(
    (side) =>
      `SELECT s.n, '${side}' AS side, c.* FROM unnest($2::int[], $3::bigint[], $4::text[]) AS s(n, list, key) ` +
      'JOIN LATERAL (SELECT c.key, c.value, c.id::float8 AS id FROM node c WHERE c.tree = $1::int ' +
      `AND c.parent_id = s.list AND c.key ${side === 'before' ? '<' : '>'} s.key AND c.key <> '.priority' ` +
      `ORDER BY c.key ${side === 'before' ? 'DESC' : ''} LIMIT 1) c ON true`,
  )
  .join(' UNION ALL ')

const RECORDS = 'SELECT key, text FROM note WHERE tree = $1::int AND key = ANY($2::text[]) AND at >= $3::bigint'

const SESSIONS =
  'SELECT w.n FROM unnest($2::int[], $3::text[], $4::int[]) AS w(n, session, position) ' +
  'JOIN session s ON s.tree = $1::int AND s.session = w.session AND s.process = $5::text ' +
  'WHERE w.position = 0 OR EXISTS (SELECT FROM session_value v ' +
  'WHERE v.tree = $1::int AND v.session = w.session AND v.position = w.position)'

/** Reads the definitions of the indexes of lists. */
export type FetchIndexes = (statements: Statements, lists: readonly number[]) => Promise<void>

/** Reads what is unknown, and adds it to what is known of the tree. */
export class Fetcher {
  readonly #tree: number
  readonly #base: BaseTree
  readonly #fetchIndexes: FetchIndexes
  readonly #process: string

  /** @param process id of this process */
  constructor(tree: number, base: BaseTree, fetchIndexes: FetchIndexes, process: string) {
    this.#process = process
    this.#tree = tree
    this.#base = base
    this.#fetchIndexes = fetchIndexes
  }

  /** @param outdated time before which records are too old, in milliseconds since 1970 */
  async fetch(statements: Statements, unknown: readonly Unknown[], outdated: number): Promise<void> {
    await Promise.all([
      this.#walk(
        statements,
        unknown.filter((each) => each.kind === 'slots'),
      ),
      this.#neighbors(
        statements,
        unknown.filter((each) => each.kind === 'neighbor'),
      ),
      this.#records(
        statements,
        unknown.filter((each) => each.kind === 'record').map(({ key }) => key),
        outdated,
      ),
      this.#sessions(
        statements,
        unknown.filter((each) => each.kind === 'session'),
      ),
      this.#indexes(
        statements,
        unknown.filter((each) => each.kind === 'indexes').map(({ list }) => list),
      ),
    ])
  }

  async #walk(statements: Statements, wanted: readonly Extract<Unknown, { kind: 'slots' }>[]): Promise<void> {
    if (wanted.length === 0) return
    const steps = stepsOf(wanted)
    const rows = await statements.query<WalkRow>(WALK, [this.#tree, ...columnsOf(steps)])
    const found = new Map(rows.map((row) => [row.n, row]))
    for (const [index, { above, parent, key }] of steps.entries()) {
      const row = found.get(index)
      const at = parent ?? found.get(above ?? 0)?.id ?? null
      // Below a text or a gap there are no slots.
      if (at === null) continue
      const slot: Slot | undefined = row && { kind: row.kind, value: row.value, id: row.id }
      if (row === undefined || row.id === null) this.#base.know(at, key, slot)
      else {
        const interior = { id: row.id, childCount: row.children ?? 0, traits: row.traits ?? 0 }
        this.#base.know(at, key, slot, interior)
      }
    }
  }

  async #neighbors(statements: Statements, wanted: readonly Extract<Unknown, { kind: 'neighbor' }>[]): Promise<void> {
    if (wanted.length === 0) return
    const rows = await statements.query<{
      readonly n: number
      readonly side: 'before' | 'after'
      readonly key: string
      readonly value: string | null
      readonly id: number | null
    }>(NEIGHBORS, [
      this.#tree,
      arrayOf(wanted.map((_, index) => index)),
      arrayOf(wanted.map(({ list }) => list)),
      arrayOf(wanted.map(({ key }) => key)),
    ])
    const found = new Map(rows.map(({ n, side, ...row }) => [`${n} ${side}`, row]))
    for (const [index, { list, key }] of wanted.entries()) {
      this.#base.knowGap(list, { key, before: found.get(`${index} before`), after: found.get(`${index} after`) })
    }
  }

  async #records(statements: Statements, keys: readonly string[], outdated: number): Promise<void> {
    if (keys.length === 0) return
    const stored = keys.map(encodeText)
    const rows = await statements.query<{ readonly key: string; readonly text: string }>(RECORDS, [
      this.#tree,
      arrayOf(stored),
      outdated,
    ])
    const found = new Map(rows.map(({ key, text }) => [key, text]))
    for (const [index, key] of keys.entries()) {
      const text = found.get(stored[index] as string)
      this.#base.knowRecord(key, text === undefined ? undefined : decodeText(text))
    }
  }

  async #sessions(statements: Statements, wanted: readonly Extract<Unknown, { kind: 'session' }>[]): Promise<void> {
    if (wanted.length === 0) return
    const rows = await statements.query<{ readonly n: number }>(SESSIONS, [
      this.#tree,
      arrayOf(wanted.map((_, index) => index)),
      arrayOf(wanted.map(({ session }) => session)),
      arrayOf(wanted.map(({ position }) => position)),
      this.#process,
    ])
    const found = new Set(rows.map(({ n }) => n))
    for (const [index, { session, position }] of wanted.entries()) {
      this.#base.knowSession(session, position, found.has(index))
    }
  }

  async #indexes(statements: Statements, lists: readonly number[]): Promise<void> {
    if (lists.length > 0) await this.#fetchIndexes(statements, lists)
  }
}
