import { eq, sql } from 'drizzle-orm'
import { PRIORITY } from '../../tree/key.ts'
import { NodeText } from '../../tree/node-text.ts'
import { sortKey } from '../../tree/order.ts'
import type { Path } from '../../tree/path.ts'
import { type JsonText, parseStored, print } from '../../tree/print.ts'
import { isBranch, type Leaf, ownMember, VALUE, type Value } from '../../tree/value.ts'
import type { Connection } from './connection.ts'
import { closure, interior } from './schema.ts'
import { ROOT_KEY, ROOT_PARENT, type Slot } from './slot.ts'
import { SubtreeReader, spend } from './subtree.ts'

/** Where a path ends: at a slot, or at a value inside the text of one. */
type Place = { readonly kind: 'slot'; readonly slot: Slot } | { readonly kind: 'inside'; readonly value: Value }

/**
 * Reads the tree through one connection and whatever transaction is open on it. Long readings are generators that
 * pause between bounded steps.
 */
export class TreeReader {
  readonly #slot
  readonly #outline
  readonly #size
  readonly #subtrees: SubtreeReader

  constructor(connection: Connection) {
    const { client, orm } = connection
    this.#subtrees = new SubtreeReader(connection)
    // Raw, because it runs for every key of every path and Drizzle's prepared query costs more.
    this.#slot = client.prepare<Slot, [number, string]>(
      'SELECT kind, value, id FROM node WHERE parent_id = ? AND key = ?',
    )
    this.#outline = client.prepare<Slot, [number, string]>(
      'SELECT kind, NULL AS value, id FROM node WHERE parent_id = ? AND key = ?',
    )
    this.#size = orm
      .select({ rows: sql<number | null>`sum(${interior.childCount})` })
      .from(closure)
      .innerJoin(interior, eq(interior.id, closure.descendant))
      .where(eq(closure.ancestor, sql.placeholder('id')))
      .prepare()
  }

  slot(parent: number, key: string): Slot | undefined {
    return this.#slot.get(parent, key) ?? undefined
  }

  /** A slot without its text. */
  outline(parent: number, key: string): Slot | undefined {
    return this.#outline.get(parent, key) ?? undefined
  }

  /** Opens the snapshot of a transaction just begun: SQLite takes it at the first read. */
  touch(): void {
    this.slot(ROOT_PARENT, ROOT_KEY)
  }

  exists(path: Path): boolean {
    return this.#place(path) !== undefined
  }

  leaf(path: Path): Leaf | undefined {
    const place = this.#place(path)
    if (place === undefined || (place.kind === 'slot' && place.slot.value === null)) return undefined
    const value = place.kind === 'inside' ? place.value : parseStored(place.slot.value ?? '')
    if (!isBranch(value)) return value
    const leaf = ownMember(value, VALUE)
    return isBranch(leaf) ? undefined : leaf
  }

  count(path: Path): number {
    const place = this.#place(path)
    if (place === undefined) return 0
    if (place.kind === 'slot' && place.slot.id !== null) return this.#subtrees.count(place.slot.id)
    return childKeys(valueAt(place)).length
  }

  /** Rows the engine holds at and below a path: what removing it costs. */
  size(path: Path): number {
    const place = this.#place(path)
    if (place === undefined) return 0
    if (place.kind === 'inside' || place.slot.id === null) return 1
    return 1 + (this.#size.get({ id: place.slot.id })?.rows ?? 0)
  }

  /**
   * The finished text of a node.
   * @param maxLength longest text wanted; a longer one throws `read-too-big`
   */
  *node(path: Path, maxLength: number): Generator<void, NodeText | undefined> {
    const place = this.#place(path)
    if (place === undefined) return undefined
    const budget = { left: maxLength, hasPriorities: false }
    if (place.kind === 'inside') return new NodeText(spend(budget, print(place.value, 'stored')))
    const { value, id } = place.slot
    if (id === null) return new NodeText(spend(budget, value ?? ''))
    const text = yield* this.#subtrees.text(id, budget)
    return new NodeText(text, !budget.hasPriorities)
  }

  *shallow(path: Path, maxLength: number): Generator<void, JsonText | undefined> {
    const place = this.#place(path)
    if (place === undefined) return undefined
    const budget = { left: maxLength, hasPriorities: false }
    if (place.kind === 'inside' || place.slot.id === null) return spend(budget, shallowText(valueAt(place)))
    return yield* this.#subtrees.keys(place.slot.id, budget)
  }

  #place(path: Path): Place | undefined {
    let slot = this.slot(ROOT_PARENT, ROOT_KEY)
    for (const [depth, key] of path.entries()) {
      if (slot === undefined) return undefined
      if (slot.id === null) return insideText(slot.value ?? '', path.slice(depth))
      slot = this.slot(slot.id, sortKey(key))
    }
    return slot && { kind: 'slot', slot }
  }
}

function insideText(text: JsonText, path: Path): Place | undefined {
  let value: Value | undefined = parseStored(text)
  for (const key of path) {
    value = isBranch(value) ? ownMember(value, key) : undefined
    if (value === undefined) return undefined
  }
  return { kind: 'inside', value }
}

function valueAt(place: Place): Value {
  return place.kind === 'inside' ? place.value : parseStored(place.slot.value ?? '')
}

function childKeys(value: Value): string[] {
  return isBranch(value) ? Object.keys(value).filter((key) => key !== PRIORITY && key !== VALUE) : []
}

function shallowText(value: Value): JsonText {
  const leaf = isBranch(value) ? ownMember(value, VALUE) : value
  if (leaf !== undefined) return print(leaf, 'plain')
  const shallow = Object.create(null)
  for (const key of childKeys(value)) shallow[key] = true
  return print(shallow, 'export')
}
