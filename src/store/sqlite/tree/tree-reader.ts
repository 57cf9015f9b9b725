import { and, eq, gt, sql } from 'drizzle-orm'
import { NodeText } from '../../../tree/json/node-text.ts'
import { isStringText, type JsonText, parseStored, print } from '../../../tree/json/print.ts'
import { toPlainInSteps } from '../../../tree/json/print-steps.ts'
import type { AnyText } from '../../../tree/json/text-pieces.ts'
import { keyOf, OBJECT, type SortValue, sortKey, sortValue } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { childKeys, isBranch, type Leaf, leafOf, type Value } from '../../../tree/value.ts'
import type { ChunkedLeaf } from '../../rows/lookup.ts'
import { type Budget, spend } from '../../rows/read-budget.ts'
import { chunkedTextOf, interiorOf, ROOT_KEY, ROOT_PARENT, type Slot, type SlotContent } from '../../rows/slot.ts'
import { foundInText, shallowText, valueInText } from '../../rows/value-in-text.ts'
import type { Connection } from '../file/connection.ts'
import { interior, node } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'
import type { InteriorCache } from './interior-cache.ts'
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
    client.prepare<Slot, [number, string]>(
      'SELECT kind, iif(id IS NULL, NULL, value) AS value, id FROM node WHERE parent_id = ? AND key = ?',
    ),
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
      .select({ key: node.key, id: sql<number | null>`iif(${node.value} IS NULL, ${node.id}, NULL)` })
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
    if (slot.value === null) this.#interiorCache?.add(parent, key, slot)
    return slot
  }

  /** A slot without a text of its own. */
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
    const interior = location.kind === 'slot' ? interiorOf(location.slot) : undefined
    if (interior !== undefined) return this.subtrees.interior(interior).childCount
    if (location.kind === 'slot' && isStringText(location.slot.value ?? '')) return 0
    return childKeys(textValue(location)).length
  }

  /** Sort value of a slot in an order by a child path; of a chunked text only the beginning. */
  sortValueBelow(content: SlotContent, path: Path): SortValue {
    const id = interiorOf(content)
    if (id === undefined) return sortValue(insideText(content.value ?? '', path)?.value)
    const [key, ...rest] = path
    if (key === undefined) return OBJECT
    const slot = this.slot(id, sortKey(key))
    return slot === undefined ? sortValue(undefined) : this.sortValueBelow(slot, rest)
  }

  /** The leaf at a path below a slot; of one in chunks the id of the text. */
  leafBelow(content: SlotContent, path: Path): Leaf | ChunkedLeaf | undefined {
    const text = path.length === 0 ? chunkedTextOf(content) : undefined
    if (text !== undefined) return { text }
    const id = interiorOf(content)
    const [key, ...rest] = path
    if (id === undefined) {
      const value = insideText(content.value ?? '', path)?.value
      return value === undefined ? undefined : leafOf(value)
    }
    const slot = key === undefined ? undefined : this.slot(id, sortKey(key))
    return slot && this.leafBelow(slot, rest)
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
    const root = interiorOf(this.slot(ROOT_PARENT, ROOT_KEY))
    let level: number[] = root === undefined ? [] : [root]
    for (const key of pattern) {
      const next: number[] = []
      for (const parent of level) {
        if (isAny(key)) yield* this.#interiorChildren(parent, next)
        else {
          const id = interiorOf(this.slot(parent, sortKey(key)))
          if (id !== undefined) next.push(id)
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
    const interior = location.kind === 'slot' ? interiorOf(location.slot) : undefined
    if (interior === undefined) return 1
    let rows = 1
    let after = 0
    for (;;) {
      const page = this.#statements.sizePage.get(interior, after)
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
    return new NodeText(text, value === null ? !budget.hasPriorities : isStringText(value))
  }

  *shallow(path: Path, maxLength: number): Generator<void, AnyText | undefined> {
    const location = this.location(path)
    if (location === undefined) return undefined
    const budget = { left: maxLength, hasPriorities: false }
    if (location.kind === 'inside') return spend(budget, shallowText(location.value))
    const { id, value } = location.slot
    const chunked = chunkedTextOf(location.slot)
    if (chunked !== undefined) return yield* this.plainText(chunked, budget)
    if (id === null) return spend(budget, isStringText(value ?? '') ? (value ?? '') : shallowText(textValue(location)))
    return yield* this.subtrees.keys(id, budget)
  }

  /** Text of a leaf that is stored in chunks, without its priority. @throws `read-too-big` */
  *plainText(chunked: number, budget: Budget): Generator<void, AnyText> {
    return yield* toPlainInSteps(yield* this.subtrees.text(chunked, budget))
  }

  location(path: Path): Location | undefined {
    let slot = this.slot(ROOT_PARENT, ROOT_KEY)
    for (let depth = 0; depth < path.length; depth++) {
      if (slot === undefined) return undefined
      if (slot.value !== null || slot.id === null) {
        return inside(foundInText(slot.value ?? '', path.slice(depth)))
      }
      slot = this.slot(slot.id, sortKey(path[depth] as string))
    }
    return slot && { kind: 'slot', slot }
  }
}

type Inside = Location & { kind: 'inside' }

function insideText(text: JsonText, path: Path): Inside | undefined {
  return inside(valueInText(text, path))
}

function inside(value: Value | undefined): Inside | undefined {
  return value === undefined ? undefined : { kind: 'inside', value }
}

/** The value at a location that is not an interior node; of a chunked text only its beginning. */
export function textValue(location: Location): Value {
  return location.kind === 'inside' ? location.value : parseStored(location.slot.value ?? '')
}
