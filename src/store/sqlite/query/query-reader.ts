import { gt, sql } from 'drizzle-orm'
import { isUnbounded, type Order, type Query } from '../../../query/query.ts'
import { keyPosition, rangeOf } from '../../../query/range.ts'
import { limited, selectInSteps } from '../../../query/select-in-memory.ts'
import { ChildrenText, type ChildText } from '../../../tree/json/children-text.ts'
import { NodeText, type ReadText } from '../../../tree/json/node-text.ts'
import { mapInSteps } from '../../../tree/json/sort-steps.ts'
import { type AnyText, TextBuilder } from '../../../tree/json/text-pieces.ts'
import { keyOf } from '../../../tree/order.ts'
import { indexedPath } from '../../rows/indexes/index-name.ts'
import { INTEGER_KEYS, indexRange, keyRange, textKeyRange } from '../../rows/indexes/scan-range.ts'
import { type Budget, spend } from '../../rows/read-budget.ts'
import { chosenInText, keyByText, selectInText } from '../../rows/select-in-text.ts'
import { type ChildRow, type Interior, Trait } from '../../rows/slot.ts'
import type { IndexInfo } from '../../store.ts'
import type { Connection } from '../file/connection.ts'
import { indexDefinition } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'
import { IndexReader, NO_LIMIT } from '../indexes/reader.ts'
import { TEXT_LIMIT } from '../indexes/text-limit.ts'
import type { TreeReader } from '../tree/tree-reader.ts'
import { type AccessPath, AccessPathFinder, type UsableAccessPath } from './access-path.ts'
import { type Candidate, ExactOrder } from './exact-order.ts'
import { RangeScanner, scanOf } from './range-scan.ts'

type ListAccessPath = Extract<UsableAccessPath, { list: Interior }>

/** Children assembled between two pauses. */
const PAGE_CHILDREN = 4096
/** Children from which the text is printed in steps at once, not when it is first used. */
const PAGE_PREPARED = 512
/** Keys printed between two pauses. */
const PAGE_KEYS = 1024
/** Children read by key between two pauses. */
const PAGE_LOOKED_UP = 256
/** Children whose values are found between two pauses: long texts next to them are read to find those. */
const PAGE_PLACED = 16

const statements = defineStatements({
  definitions: ({ orm }) =>
    orm
      .select()
      .from(indexDefinition)
      .where(gt(indexDefinition.listId, 0))
      .orderBy(indexDefinition.id)
      .limit(sql.placeholder('limit'))
      .prepare(),
})

/** No limit. */
const ALL = -1

/**
 * Answers queries from one snapshot. Long reads are generators that pause between bounded steps.
 * @see docs/explanation/storage.md#queries
 */
export class QueryReader {
  readonly #statements
  readonly #tree: TreeReader
  readonly #scanner: RangeScanner
  readonly #indexed: IndexReader
  /** Chooses access paths. */
  readonly accessPaths: AccessPathFinder

  /** @param shortList longest list that is sorted in memory, in children */
  constructor(connection: Connection, tree: TreeReader, shortList: number) {
    this.#statements = statements(connection)
    this.#tree = tree
    this.#scanner = new RangeScanner(connection)
    this.#indexed = new IndexReader(tree, this.#scanner)
    this.accessPaths = new AccessPathFinder(connection, tree, this.#scanner, shortList)
  }

  /** Every index. */
  indexes(): IndexInfo[] {
    return this.definitions(ALL).flatMap(({ listId, path, builtTo, covering }) => {
      const list = this.#tree.pathOf(listId)
      return list === undefined ? [] : [{ list, path: indexedPath(path), ready: builtTo === null, covering }]
    })
  }

  /** Rows of the first indexes in use. */
  definitions(limit: number): (typeof indexDefinition.$inferSelect)[] {
    return this.#statements.definitions.all({ limit })
  }

  /**
   * The selected children in the order of the query.
   * @returns `undefined` when no node exists, or a leaf that a bound or limit excludes
   * @throws `read-too-big`
   */
  *answer(access: UsableAccessPath, query: Query, maxLength: number): Generator<void, ReadText | undefined> {
    const budget = { left: maxLength, hasPriorities: false }
    switch (access.kind) {
      case 'nothing':
        return undefined
      case 'leaf':
        return isUnbounded(query) ? new NodeText(spend(budget, access.text), true) : undefined
      case 'chunked':
        return isUnbounded(query) ? new NodeText(yield* this.#tree.plainText(access.text, budget), true) : undefined
      case 'text':
        return new ChildrenText(selectInText(access.branch, query, budget), false)
      default: {
        const rows = yield* this.#rows(access, query, maxLength)
        const children = yield* this.#assemble(access.list, rows, budget)
        const hasNoPriority = (access.list.traits & Trait.priorities) === 0 && !budget.hasPriorities
        const text = new ChildrenText(children, hasNoPriority)
        if (children.length > PAGE_PREPARED) yield* text.prepare()
        return text
      }
    }
  }

  /** Number of children that the query selects; 0 for a leaf and for no node. */
  *count(access: UsableAccessPath, query: Query): Generator<void, number> {
    switch (access.kind) {
      case 'nothing':
      case 'leaf':
      case 'chunked':
        return 0
      case 'text':
        return chosenInText(access.branch, query).length
      default:
        return yield* this.#countInList(access, query)
    }
  }

  *#countInList(access: ListAccessPath, query: Query): Generator<void, number> {
    const range = rangeOf(query)
    const { list } = access
    switch (access.kind) {
      case 'keys':
        return yield* this.#scanner.count(scanOf(list, undefined, keyRange(range), false))
      case 'index':
        return yield* this.#indexed.count(access, query)
      case 'merge': {
        const texts = yield* this.#scanner.count(scanOf(list, undefined, textKeyRange(range), false))
        if (access.index === undefined) {
          const integers = yield* mapInSteps(yield* this.#integers(list), keyByText)
          return texts + (yield* selectInSteps(query, integers)).length
        }
        return texts + (yield* this.#scanner.count(scanOf(list, access.index, indexRange(range, TEXT_LIMIT), false)))
      }
      case 'scan':
        return (yield* this.#sortInMemory(list, query, NO_LIMIT)).length
      default:
        return access satisfies never
    }
  }

  /**
   * Keys of the children that a query in key order selects, as `{"key":true,…}`; for a leaf, the leaf.
   * @throws `read-too-big`
   */
  *keys(access: UsableAccessPath, query: Query, maxLength: number): Generator<void, AnyText | undefined> {
    const budget = { left: maxLength, hasPriorities: false }
    if (access.kind === 'nothing') return undefined
    if (access.kind === 'leaf') return spend(budget, access.text)
    if (access.kind === 'chunked') return yield* this.#tree.plainText(access.text, budget)
    const chosen = yield* this.#keys(access, query)
    const text = new TextBuilder()
    let before = spend(budget, '{')
    for (let first = 0; first < chosen.length; first += PAGE_KEYS) {
      const members = chosen.slice(first, first + PAGE_KEYS).map((key) => `${JSON.stringify(keyOf(key))}:true`)
      // One more for the comma or brace after it.
      text.add(before + spend(budget, members.join(','), 1))
      before = ','
      yield
    }
    text.add(before === ',' ? '}' : '{}')
    return text.end()
  }

  *#keys(
    access: (UsableAccessPath & { kind: 'text' }) | ListAccessPath,
    query: Query,
  ): Generator<void, readonly string[]> {
    if (access.kind === 'text') return chosenInText(access.branch, query).map(({ key }) => key)
    const descending = query.limit?.from === 'last'
    const scan = scanOf(access.list, undefined, keyRange(rangeOf(query)), descending)
    const keys = yield* this.#scanner.keys(scan, query.limit?.count ?? NO_LIMIT)
    return descending ? keys.reverse() : keys
  }

  *#rows(access: ListAccessPath, query: Query, maxLength: number): Generator<void, readonly ChildRow[]> {
    switch (access.kind) {
      case 'keys':
        return yield* this.#inKeyOrder(access.list, query, maxLength)
      case 'index':
        return yield* this.#indexed.rows(access, query, maxLength)
      case 'merge':
        return yield* this.#merge(access, query, maxLength)
      case 'scan':
        return yield* this.#sortInMemory(access.list, query, maxLength)
      default:
        return access satisfies never
    }
  }

  /** Scans the table from the end that the limit counts from. */
  *#inKeyOrder(list: Interior, query: Query, maxLength: number): Generator<void, readonly ChildRow[]> {
    const descending = query.limit?.from === 'last'
    const scan = scanOf(list, undefined, keyRange(rangeOf(query)), descending)
    const rows = yield* this.#scanner.children(scan, query.limit?.count ?? NO_LIMIT, maxLength)
    return descending ? rows.reverse() : rows
  }

  /** Merges two sorted ranges, integer keys and other keys, into lexicographic order. */
  *#merge(
    { list, index }: AccessPath & { kind: 'merge' },
    query: Query,
    maxLength: number,
  ): Generator<void, readonly ChildRow[]> {
    const range = rangeOf(query)
    const limit = query.limit?.count ?? NO_LIMIT
    const descending = query.limit?.from === 'last'
    const textScan = scanOf(list, undefined, textKeyRange(range), descending)
    const integers =
      index === undefined
        ? yield* this.#integers(list)
        : yield* this.#scanner.keys(scanOf(list, index, indexRange(range, TEXT_LIMIT), descending), limit)
    if (integers.length === 0) {
      const rows = yield* this.#scanner.children(textScan, limit, maxLength)
      return descending ? rows.reverse() : rows
    }
    const texts = yield* this.#scanner.keys(textScan, limit)
    const positions = yield* mapInSteps([...integers, ...texts], keyByText)
    const chosen = yield* selectInSteps(query, positions)
    const rows: ChildRow[] = []
    const budget = { left: maxLength, hasPriorities: false }
    for (const [position, { key }] of chosen.entries()) {
      if (position % PAGE_LOOKED_UP === PAGE_LOOKED_UP - 1) yield
      const slot = this.#tree.slot(list.id, key)
      if (slot === undefined) continue
      spend(budget, slot.value ?? '')
      rows.push({ key, value: slot.value, id: slot.id })
    }
    return rows
  }

  /** The integer keys of a list with few of them or without an index. */
  *#integers(list: Interior): Generator<void, readonly string[]> {
    return yield* this.#scanner.keys(scanOf(list, undefined, INTEGER_KEYS, false), NO_LIMIT)
  }

  /** Without an index: reads every child and keeps no more of them than the answer may hold. */
  *#sortInMemory(list: Interior, query: Query, maxLength: number): Generator<void, readonly ChildRow[]> {
    const scan = scanOf(list, undefined, keyRange({ start: undefined, end: undefined }), false)
    const range = rangeOf(query)
    // With a limit few are kept, and they are weighed when they are put together.
    const budget = { left: query.limit === undefined ? maxLength : NO_LIMIT, hasPriorities: false }
    const order = new ExactOrder(this.#tree, list.id, query.orderBy.kind === 'child' ? query.orderBy.path : [])
    const most = 2 * (query.limit?.count ?? NO_LIMIT)
    let candidates: Candidate[] = []
    for (const page of this.#scanner.pages(scan)) {
      for (const [index, row] of page.entries()) {
        if (index % PAGE_PLACED === PAGE_PLACED - 1) yield
        const candidate = query.orderBy.kind === 'key' ? keyCandidate(query.orderBy, row) : order.candidate(row)
        if (!(yield* order.contains(range, candidate))) continue
        spend(budget, row.value ?? '')
        candidates.push(candidate)
      }
      if (candidates.length > most) candidates = [...limited(query, yield* order.sort(candidates))]
      yield
    }
    const chosen = limited(query, yield* order.sort(candidates))
    return yield* mapInSteps(chosen, (candidate) => order.rowOf(candidate))
  }

  *#assemble(list: Interior, rows: readonly ChildRow[], budget: Budget): Generator<void, ChildText[]> {
    const children: ChildText[] = []
    const bare = (list.traits & Trait.carefulKeys) === 0
    for (const [index, { key, value, id }] of rows.entries()) {
      if (index % PAGE_CHILDREN === PAGE_CHILDREN - 1) yield
      const text = id === null ? spend(budget, value ?? '', key.length) : yield* this.#tree.subtrees.text(id, budget)
      children.push({ key: bare ? key : keyOf(key), text })
    }
    return children
  }
}

function keyCandidate({ lexicographic }: Order & { kind: 'key' }, row: ChildRow): Candidate {
  return { ...keyPosition(lexicographic, row.key), row }
}
