import { DholeError } from '../../../../error.ts'
import { isUnbounded, type Query } from '../../../../query/query.ts'
import { type Range, rangeOf } from '../../../../query/range.ts'
import { limited, selectInSteps } from '../../../../query/select-in-memory.ts'
import type { Awaitable } from '../../../../scheduling/awaitable.ts'
import { loopTurn } from '../../../../scheduling/loop-turn.ts'
import { ChildrenText, type ChildText } from '../../../../tree/json/children-text.ts'
import { NodeText, type ReadText } from '../../../../tree/json/node-text.ts'
import { mapInSteps } from '../../../../tree/json/sort-steps.ts'
import type { AnyText } from '../../../../tree/json/text-pieces.ts'
import { keyOf } from '../../../../tree/order.ts'
import type { ListScan } from '../../../rows/indexes/list-scan.ts'
import { INTEGER_KEYS, indexRange, keyRange, mayMatchMore, textKeyRange } from '../../../rows/indexes/scan-range.ts'
import { type Budget, spend } from '../../../rows/read-budget.ts'
import { chosenInText, keyByText, selectInText } from '../../../rows/select-in-text.ts'
import { type ChildRow, type Interior, Trait } from '../../../rows/slot.ts'
import { arrayOf } from '../../connection/arrays.ts'
import { TEXT_LIMIT } from '../../indexes/stored-value.ts'
import type { Reading } from '../reading.ts'
import { INTERIORS } from '../statements/range-statements.ts'
import { keysText, printed } from '../subtree/node-reader.ts'
import { Subtrees } from '../subtree/subtrees.ts'
import type { AccessPath, ListAccessPath } from './access-path.ts'
import { type Candidate, ExactOrder } from './exact-order.ts'
import { IndexReader, NO_LIMIT } from './index-reader.ts'
import type { RangeScanner } from './range-scanner.ts'

/** Children assembled between two pauses. */
const STEP_CHILDREN = 1024
/** Interior nodes looked up at once. */
const PAGE_INTERIORS = 4096
/** Children from which the text is printed in steps at once, not when it is first used. */
const MANY_CHILDREN = 512

/** Answers queries from one snapshot. */
export class QueryReader {
  readonly #reading: Reading
  readonly #scanner: RangeScanner

  constructor(reading: Reading, scanner: RangeScanner) {
    this.#reading = reading
    this.#scanner = scanner
  }

  /**
   * The selected children in the order of the query. `undefined` when no node exists, or a leaf that a bound or limit
   * excludes.
   * @returns prints the answer
   * @throws `read-too-big`
   */
  async answer(access: AccessPath, query: Query, maxLength: number): Promise<() => Awaitable<ReadText | undefined>> {
    const budget = { left: maxLength, hasPriorities: false }
    switch (access.kind) {
      case 'nothing':
        return () => undefined
      case 'leaf': {
        if (!isUnbounded(query)) return () => undefined
        const leaf = new NodeText(spendText(budget, access.text), true)
        return () => leaf
      }
      case 'text': {
        const text = new ChildrenText(selectInText(access.branch, query, budget), false)
        return () => text
      }
      default:
        return this.#assembled(access.list, await this.#rows(access, query, maxLength), budget)
    }
  }

  /** Number of children that the query selects; 0 for a leaf and for no node. */
  async count(access: AccessPath, query: Query): Promise<number> {
    const range = rangeOf(query)
    switch (access.kind) {
      case 'nothing':
      case 'leaf':
        return 0
      case 'text':
        return chosenInText(access.branch, query).length
      case 'keys':
        return this.#scanner.count(keyScan(access.list, keyRange(range), false))
      case 'index':
        return new IndexReader(this.#reading, this.#scanner, access).count(query)
      case 'merge': {
        const { list } = access
        const index = exactIndex(access, range)
        const texts = await this.#scanner.count(keyScan(list, textKeyRange(range), false))
        if (index !== undefined) {
          const scan = { list: list.id, index, range: indexRange(range, TEXT_LIMIT), descending: false }
          return texts + (await this.#scanner.count(scan))
        }
        const integers = (await this.#integers(list)).map(keyByText)
        return texts + (await this.#reading.run(selectInSteps(query, integers))).length
      }
      case 'scan':
        return (await this.#sortInMemory(access, query, NO_LIMIT)).length
      default:
        return access satisfies never
    }
  }

  /**
   * Keys of the children that a query in key order selects, as `{"key":true,…}`; for a leaf, the leaf.
   * @throws `read-too-big`
   */
  async keys(access: AccessPath, query: Query, maxLength: number): Promise<AnyText | undefined> {
    const budget = { left: maxLength, hasPriorities: false }
    if (access.kind === 'nothing') return undefined
    if (access.kind === 'leaf') return spendText(budget, access.text)
    if (access.kind === 'text') {
      return keysText(inPages(chosenInText(access.branch, query).map(({ key }) => key)), budget)
    }
    const descending = query.limit?.from === 'last'
    const limit = query.limit?.count ?? NO_LIMIT
    const scan = keyScan(access.list, keyRange(rangeOf(query)), descending)
    if (!descending) return keysText(this.#scanner.keyPages(scan, limit), budget)
    return keysText(inPages((await this.#scanner.keys(scan, limit)).reverse()), budget)
  }

  async #rows(access: ListAccessPath, query: Query, maxLength: number): Promise<readonly ChildRow[]> {
    switch (access.kind) {
      case 'keys':
        return this.#inKeyOrder(keyRange(rangeOf(query)), access.list, query, maxLength)
      case 'index':
        return new IndexReader(this.#reading, this.#scanner, access).rows(query, maxLength)
      case 'merge':
        return this.#merge(access, query, maxLength)
      case 'scan': {
        const order = new ExactOrder(this.#reading, this.#scanner, access.list.id, access.path)
        return order.rowsOf(await this.#sortInMemory(access, query, maxLength), maxLength)
      }
      default:
        return access satisfies never
    }
  }

  /** Scans the table from the end that the limit counts from. */
  async #inKeyOrder(
    range: ListScan['range'],
    list: Interior,
    { limit }: Query,
    maxLength: number,
  ): Promise<readonly ChildRow[]> {
    const descending = limit?.from === 'last'
    const rows = await this.#scanner.children(keyScan(list, range, descending), limit?.count ?? NO_LIMIT, maxLength)
    return descending ? rows.reverse() : rows
  }

  /** Merges two sorted ranges, integer keys and other keys, into lexicographic order. */
  async #merge(
    access: Extract<ListAccessPath, { kind: 'merge' }>,
    query: Query,
    maxLength: number,
  ): Promise<readonly ChildRow[]> {
    const { list } = access
    const range = rangeOf(query)
    const index = exactIndex(access, range)
    const limit = query.limit?.count ?? NO_LIMIT
    const descending = query.limit?.from === 'last'
    const integers =
      index === undefined
        ? await this.#integers(list)
        : await this.#scanner.keys({ list: list.id, index, range: indexRange(range, TEXT_LIMIT), descending }, limit)
    if (integers.length === 0) return this.#inKeyOrder(textKeyRange(range), list, query, maxLength)
    const texts = await this.#scanner.keys(keyScan(list, textKeyRange(range), descending), limit)
    const positions = await this.#reading.run(mapInSteps([...integers, ...texts], keyByText))
    const chosen = await this.#reading.run(selectInSteps(query, positions))
    const rows: ChildRow[] = []
    let left = maxLength
    for await (const page of this.#scanner.lookUp(
      list.id,
      chosen.map(({ key }) => key),
    )) {
      for (const row of page) {
        left -= row.value?.length ?? 0
        rows.push(row)
      }
      if (left < 0) throw new DholeError('read-too-big')
    }
    return rows
  }

  /** The integer keys of a list with few of them or without an index. */
  #integers(list: Interior): Promise<readonly string[]> {
    return this.#scanner.keys(keyScan(list, INTEGER_KEYS, false), NO_LIMIT)
  }

  /** Without an index: reads every child and keeps no more of them than the answer may hold. */
  async #sortInMemory(
    { list, path }: Extract<ListAccessPath, { kind: 'scan' }>,
    query: Query,
    maxLength: number,
  ): Promise<readonly Candidate[]> {
    const range = rangeOf(query)
    const order = new ExactOrder(this.#reading, this.#scanner, list.id, path)
    // With a limit few are kept, and they are weighed when they are put together.
    let left = query.limit === undefined ? maxLength : NO_LIMIT
    const most = 2 * (query.limit?.count ?? NO_LIMIT)
    let candidates: Candidate[] = []
    for await (const page of this.#scanner.pages(
      keyScan(list, keyRange({ start: undefined, end: undefined }), false),
    )) {
      for (const candidate of await order.within(range, page)) {
        left -= candidate.row?.value?.length ?? 0
        candidates.push(candidate)
      }
      if (left < 0) throw new DholeError('read-too-big')
      if (candidates.length > most) candidates = [...limited(query, await order.sort(candidates))]
    }
    return limited(query, await order.sort(candidates))
  }

  /** Reads the interior ones among the chosen children. @returns puts them together */
  async #assembled(list: Interior, rows: readonly ChildRow[], budget: Budget): Promise<() => Promise<ReadText>> {
    const subtrees = new Subtrees(this.#reading, budget)
    for (const { key, value, id } of rows) if (id === null) spend(budget, value ?? '', key.length)
    const ids = rows.flatMap(({ id }) => (id === null ? [] : [id]))
    if (ids.length > 0) await subtrees.fetch(await this.#interiors(ids))
    return () => this.#reading.run(assemble(list, rows, subtrees, budget))
  }

  async #interiors(ids: readonly number[]): Promise<readonly Interior[]> {
    const found: Interior[] = []
    for (let from = 0; from < ids.length; from += PAGE_INTERIORS) {
      const page = await this.#reading.page<Interior>(INTERIORS, [
        this.#reading.tree,
        arrayOf(ids.slice(from, from + PAGE_INTERIORS)),
      ])
      for (const interior of page) found.push(interior)
    }
    return found
  }
}

function* assemble(
  list: Interior,
  rows: readonly ChildRow[],
  subtrees: Subtrees,
  budget: Budget,
): Generator<void, ReadText> {
  const children: ChildText[] = []
  const bare = (list.traits & Trait.carefulKeys) === 0
  for (const [index, { key, value, id }] of rows.entries()) {
    if (index % STEP_CHILDREN === STEP_CHILDREN - 1) yield
    const text = id === null ? (value ?? '') : yield* printed(subtrees, id)
    children.push({ key: bare ? key : keyOf(key), text })
  }
  const hasNoPriority = (list.traits & Trait.priorities) === 0 && !budget.hasPriorities
  const text = new ChildrenText(children, hasNoPriority)
  if (children.length > MANY_CHILDREN) yield* text.prepare()
  return text
}

function spendText(budget: Budget, text: string | null): string {
  if (text === null) throw new DholeError('read-too-big')
  return spend(budget, text)
}

function keyScan({ id }: Interior, range: ListScan['range'], descending: boolean): ListScan {
  return { list: id, index: undefined, range, descending }
}

async function* inPages(keys: readonly string[]): AsyncGenerator<readonly string[], void> {
  for (let from = 0; from < keys.length; from += STEP_CHILDREN) {
    yield keys.slice(from, from + STEP_CHILDREN)
    if (loopTurn.isOver) await loopTurn.pause()
  }
}

/** The index over integer keys, unless keys are so long that their entries are cut: zeros may stand before the digits. */
function exactIndex({ index }: Extract<ListAccessPath, { kind: 'merge' }>, range: Range): typeof index {
  return index?.hasCut === true || mayMatchMore(range, TEXT_LIMIT) ? undefined : index
}
