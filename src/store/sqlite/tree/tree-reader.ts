import { and, eq, gt, sql } from 'drizzle-orm'
import { NodeText } from '../../../tree/json/node-text.ts'
import { isStringText, type JsonText, parseStored, print } from '../../../tree/json/print.ts'
import type { AnyText } from '../../../tree/json/text-pieces.ts'
import { keyOf, OBJECT, type SortValue, sortKey, sortValue } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { childKeys, isBranch, leafOf, type Value, valueAt } from '../../../tree/value.ts'
import { ROOT_KEY, ROOT_PARENT, type Slot } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { interior, node } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'
import type { InteriorCache } from './interior-cache.ts'
import { holdsLeaf, leafInText } from './leaf-in-text.ts'
import { spend } from './read-budget.ts'
import { SubtreeReader } from './subtree-reader.ts'

/** Children read between two pauses. */
const PAGE_CHILDREN = 512
/** Interior nodes whose children are counted between two pauses. */
const PAGE_COUNTED = 2048

/** Numbers of children of interior nodes below a node. */
interface SizePage {
  readonly rows: number | null
  readonly count: number
  /** Id of the last of them. */
  readonly last: number | null
}

/** Where a path ends: at a slot, or at a value inside the text of a slot. */
export type Location =
  | { readonly kind: 'slot'; readonly slot: Slot }
  | { readonly kind: 'inside'; readonly value: Value }

const statements = defineStatements({
  // Raw SQL: it runs for every key of every path, and Drizzle's prepared query costs more.
  slot: ({ client }) =>
    client.prepare<Slot, [number, string]>('SELECT kind, value, id FROM node WHERE parent_id = ? AND key = ?'),
  outline: ({ client }) =>
    client.prepare<Slot, [number, string]>('SELECT kind, NULL AS value, id FROM node WHERE parent_id = ? AND key = ?'),
  nothing: ({ client }) => client.prepare<unknown, []>("SELECT 1 FROM node WHERE parent_id = 0 AND key = '' LIMIT 0"),
  // Raw SQL: Drizzle has no cross join, which keeps SQLite from scanning all interior nodes.
  sizePage: ({ client }) =>
    client.prepare<SizePage, [number, number]>(
      `SELECT sum(childCount) AS rows, count(*) AS count, max(descendant) AS last FROM (
         SELECT descendant, child_count AS childCount FROM closure CROSS JOIN interior ON interior.id = descendant
         WHERE ancestor = ? AND descendant > ? ORDER BY descendant LIMIT ${PAGE_COUNTED})`,
    ),
  above: ({ orm }) =>
    orm
      .select({ parentId: interior.parentId, key: interior.key })
      .from(interior)
      .where(eq(interior.id, sql.placeholder('id')))
      .prepare(),
  interiorPage: ({ orm }) =>
    orm
      .select({ key: node.key, id: node.id })
      .from(node)
      .where(and(eq(node.parentId, sql.placeholder('parent')), gt(node.key, sql.placeholder('after'))))
      .orderBy(node.key)
      .limit(PAGE_CHILDREN)
      .prepare(),
})

/**
 * Reads the tree through one connection, in the transaction that is open on it. Long reads are generators that pause
 * between bounded steps.
 */
export class TreeReader {
  readonly #statements
  /** Reads the children of interior nodes. */
  readonly subtrees: SubtreeReader
  readonly #interiorCache: InteriorCache | undefined

  /** @param cached interior slots of the open transaction, on a connection that only reads */
  constructor(connection: Connection, cached?: InteriorCache) {
    this.#statements = statements(connection)
    this.#interiorCache = cached
    this.subtrees = new SubtreeReader(connection)
  }

  slot(parent: number, key: string): Slot | undefined {
    const cached = this.#interiorCache?.get(parent, key)
    if (cached !== undefined) return cached
    const slot = this.#statements.slot.get(parent, key)
    if (slot === null) return undefined
    if (slot.id !== null) this.#interiorCache?.add(parent, key, slot)
    return slot
  }

  /** A slot without its text. */
  outline(parent: number, key: string): Slot | undefined {
    return this.#statements.outline.get(parent, key) ?? undefined
  }

  /**
   * Fixes the snapshot of a transaction that has just begun: SQLite takes it with the first read, even one that returns
   * nothing.
   */
  touch(): void {
    this.#statements.nothing.get()
  }

  count(path: Path): number {
    const location = this.location(path)
    if (location === undefined) return 0
    if (location.kind === 'slot' && location.slot.id !== null)
      return this.subtrees.interior(location.slot.id).childCount
    if (location.kind === 'slot' && isStringText(location.slot.value ?? '')) return 0
    return childKeys(textValue(location)).length
  }

  /** Sort value of a slot in an order by a child path. */
  sortValueBelow({ id, value }: Pick<Slot, 'id' | 'value'>, path: Path): SortValue {
    if (id === null) return sortValue(insideText(value ?? '', path)?.value)
    const [key, ...rest] = path
    if (key === undefined) return OBJECT
    const slot = this.slot(id, sortKey(key))
    return slot === undefined ? sortValue(undefined) : this.sortValueBelow(slot, rest)
  }

  /** Path of an interior node; `undefined` when it is not part of the tree. */
  pathOf(id: number): Path | undefined {
    const path: string[] = []
    for (
      let above = this.#statements.above.get({ id });
      above !== undefined;
      above = this.#statements.above.get({ id: above.parentId })
    ) {
      if (above.parentId === ROOT_PARENT) return path
      path.unshift(keyOf(above.key))
    }
    return undefined
  }

  /** Ids of the interior nodes that match a path. A key that satisfies `isAny` matches every key. */
  *interiorNodes(pattern: Path, isAny: (key: string) => boolean): Generator<void, readonly number[]> {
    const root = this.slot(ROOT_PARENT, ROOT_KEY)?.id
    let level: number[] = typeof root === 'number' ? [root] : []
    for (const key of pattern) {
      const next: number[] = []
      for (const parent of level) {
        if (isAny(key)) yield* this.#interiorChildren(parent, next)
        else {
          const id = this.slot(parent, sortKey(key))?.id
          if (typeof id === 'number') next.push(id)
        }
        yield
      }
      level = next
    }
    return level
  }

  *#interiorChildren(parent: number, found: number[]): Generator<void> {
    let after = ''
    for (;;) {
      const page = this.#statements.interiorPage.all({ parent, after })
      for (const { id } of page) if (id !== null) found.push(id)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE_CHILDREN) return
      after = last.key
      yield
    }
  }

  /** Number of rows at and below a path, which is the cost of removing it. */
  *size(path: Path): Generator<void, number> {
    const location = this.location(path)
    if (location === undefined) return 0
    if (location.kind === 'inside' || location.slot.id === null) return 1
    let rows = 1
    let after = 0
    for (;;) {
      const page = this.#statements.sizePage.get(location.slot.id, after)
      rows += page?.rows ?? 0
      if (page === null || page.last === null || page.count < PAGE_COUNTED) return rows
      after = page.last
      yield
    }
  }

  /**
   * Text of a node.
   * @throws `read-too-big` for a text longer than `maxLength`
   */
  *node(path: Path, maxLength: number): Generator<void, NodeText | undefined> {
    const location = this.location(path)
    if (location === undefined) return undefined
    const budget = { left: maxLength, hasPriorities: false }
    if (location.kind === 'inside') {
      return new NodeText(spend(budget, print(location.value, 'stored')), !isBranch(location.value))
    }
    const { value, id } = location.slot
    if (id === null) return new NodeText(spend(budget, value ?? ''))
    const text = yield* this.subtrees.text(id, budget)
    return new NodeText(text, !budget.hasPriorities)
  }

  *shallow(path: Path, maxLength: number): Generator<void, AnyText | undefined> {
    const location = this.location(path)
    if (location === undefined) return undefined
    const budget = { left: maxLength, hasPriorities: false }
    if (location.kind === 'inside') return spend(budget, shallowText(location.value))
    const { id, value } = location.slot
    if (id === null) return spend(budget, isStringText(value ?? '') ? (value ?? '') : shallowText(textValue(location)))
    return yield* this.subtrees.keys(id, budget)
  }

  location(path: Path): Location | undefined {
    let slot = this.slot(ROOT_PARENT, ROOT_KEY)
    for (let depth = 0; depth < path.length; depth++) {
      if (slot === undefined) return undefined
      const key = path[depth] as string
      if (slot.id === null) {
        const text = slot.value ?? ''
        const isLast = depth === path.length - 1
        return isLast && holdsLeaf(text, key) ? inside(leafInText(text, key)) : insideText(text, path.slice(depth))
      }
      slot = this.slot(slot.id, sortKey(key))
    }
    return slot && { kind: 'slot', slot }
  }
}

type Inside = Location & { kind: 'inside' }

function insideText(text: JsonText, path: Path): Inside | undefined {
  if (path.length > 0 && isStringText(text)) return undefined
  return inside(valueAt(parseStored(text), path))
}

function inside(value: Value | undefined): Inside | undefined {
  return value === undefined ? undefined : { kind: 'inside', value }
}

/** The value at a location that is not an interior node. */
export function textValue(location: Location): Value {
  return location.kind === 'inside' ? location.value : parseStored(location.slot.value ?? '')
}

function shallowText(value: Value): JsonText {
  const leaf = leafOf(value)
  if (leaf !== undefined) return print(leaf, 'plain')
  const shallow = Object.create(null)
  for (const key of childKeys(value)) shallow[key] = true
  return print(shallow, 'export')
}
