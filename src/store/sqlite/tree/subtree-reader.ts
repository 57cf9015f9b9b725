import { and, desc, eq, gt, lte, sql } from 'drizzle-orm'
import { DholeError } from '../../../error.ts'
import { type AnyText, TextBuilder } from '../../../tree/json/text-pieces.ts'
import { arrayLengthInSteps, keyOf } from '../../../tree/order.ts'
import { pageSizes, ROWS_MEASURED } from '../../rows/page-sizes.ts'
import { type Interior, isChild, LAST_KEY, Trait } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { interior, node } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'
import { type Budget, spend } from './read-budget.ts'

/** Fewest children read in one step, at most four megabytes of text, where no child has a long text. */
const PAGE_CHILDREN = 512
/** Target length of a page with small children, estimated from the first of them. */
const PAGE_LENGTH = 512 * 1024
const MAX_PAGE_CHILDREN = 8192
const SAMPLED_CHILDREN = 16
/** Marks in assembled text that JavaScript replaces; no JSON text contains these characters. */
const INTERIOR_MARK = '\u0002'
const KEY_MARK = '\u0003'

const MARKED_INTERIOR = sql.raw(`char(2) || ${node.id.name} || char(2)`)
const MARKED_KEY = sql`char(3) || ${node.key} || char(3)`
const TEXT = sql`coalesce(${node.value}, ${MARKED_INTERIOR})`

/** Children after one key and up to another. */
interface KeyRange extends Record<string, unknown> {
  readonly parent: number
  readonly after: string
  readonly end: string
  /** Whether it holds a single child. */
  readonly isSingle?: true
}

/** Members of one page of children. */
interface Page {
  /** Text before `text`: the first key with its quotes and colon. */
  readonly first: string
  readonly text: string
}

/** State of printing. */
interface Printing {
  readonly budget: Budget
  readonly into: TextBuilder
}

const OF_PARENT = eq(node.parentId, sql.placeholder('parent'))
const REST = and(OF_PARENT, gt(node.key, sql.placeholder('after')))
const RANGE = and(REST, lte(node.key, sql.placeholder('end')))

const statements = defineStatements({
  interiorRow: ({ orm }) =>
    orm
      .select({ id: interior.id, childCount: interior.childCount, traits: interior.traits })
      .from(interior)
      .where(eq(interior.id, sql.placeholder('id')))
      .prepare(),
  pageEnd: ({ orm }) =>
    orm
      .select({ key: node.key })
      .from(node)
      .where(REST)
      .orderBy(node.key)
      .limit(1)
      .offset(sql.placeholder('offset'))
      .prepare(),
  plainPage: ({ orm }) => plainText(orm).where(RANGE).prepare(),
  // Without an end: comparing each key with `LAST_KEY` would take a twentieth of the read.
  plainRest: ({ orm }) => plainText(orm).where(REST).prepare(),
  // Each interior node is a descendant of itself. Raw SQL: it runs for every interior node.
  branchesBelow: ({ client }) => client.prepare('SELECT 1 FROM closure WHERE ancestor = ? LIMIT 1 OFFSET 1'),
  carefulPage: ({ orm }) =>
    orm
      .select({ text: sql<string | null>`group_concat(concat(${MARKED_KEY}, ':', ${TEXT}))` })
      .from(node)
      .where(RANGE)
      .prepare(),
  rows: ({ orm }) =>
    orm
      .select({ key: node.key, text: sql<string>`${TEXT}` })
      .from(node)
      .where(RANGE)
      .orderBy(node.key)
      .prepare(),
  keys: ({ orm }) => orm.select({ key: node.key }).from(node).where(RANGE).orderBy(node.key).prepare(),
  sample: ({ orm }) => {
    // SQLite knows the length of a column without reading it, but not that of a column of a subquery.
    const sampled = orm
      .select({ length: sql<number | null>`octet_length(${node.value})`.as('length') })
      .from(node)
      .where(OF_PARENT)
      .limit(SAMPLED_CHILDREN)
      .as('sampled')
    return orm
      .select({ average: sql<number | null>`avg(${sampled.length})` })
      .from(sampled)
      .prepare()
  },
  lengths: ({ orm }) =>
    orm
      .select({ key: node.key, length: sql<number>`coalesce(octet_length(${node.value}), 0)` })
      .from(node)
      .where(REST)
      .orderBy(node.key)
      .limit(ROWS_MEASURED)
      .prepare(),
  lastKey: ({ orm }) =>
    orm.select({ key: node.key }).from(node).where(OF_PARENT).orderBy(desc(node.key)).limit(1).prepare(),
})

/** Selects the children after a key as one text. */
function plainText(orm: Connection['orm']) {
  // The rows of a range are in key order, because the table is.
  const first = orm.select({ key: node.key }).from(node).where(REST).orderBy(node.key).limit(1)
  // Each key is the separator before its own text, which saves copying the text; the first text has none.
  const text = sql<string | null>`group_concat(${TEXT}, ',"' || ${node.key} || '":')`
  return orm.select({ first: sql<string | null>`${first}`, text }).from(node)
}

/**
 * Assembles the text of interior nodes from the rows of their children, page by page. Reads are generators that pause
 * between pages.
 */
export class SubtreeReader {
  readonly #statements

  constructor(connection: Connection) {
    this.#statements = statements(connection)
  }

  interior(id: number): Interior {
    const row = this.#statements.interiorRow.get({ id })
    if (row === undefined) throw new DholeError('internal', undefined, { cause: `no interior row ${id}` })
    return row
  }

  /** Keys of an interior node as `{"key":true,…}`. @throws `read-too-big` */
  *keys(id: number, budget: Budget): Generator<void, AnyText> {
    const text = new TextBuilder()
    let before = spend(budget, '{')
    for (const range of this.#pages(this.interior(id), PAGE_CHILDREN)) {
      const keys = this.#statements.keys.values(range).map(([key]) => String(key))
      const members = keys.filter(isChild).map((key) => `${JSON.stringify(keyOf(key))}:true`)
      if (members.length === 0) continue
      // One more for the comma or brace after it.
      text.add(before + spend(budget, members.join(','), 1))
      before = ','
      yield
    }
    text.add(before === ',' ? '}' : '{}')
    return text.end()
  }

  /** How many children without long texts to read in one step. */
  #pageSize({ id, childCount }: Interior): number {
    if (childCount < PAGE_CHILDREN) return PAGE_CHILDREN
    const average = this.#statements.sample.get({ parent: id })?.average ?? 1
    return Math.min(Math.max(Math.floor(PAGE_LENGTH / average), PAGE_CHILDREN), MAX_PAGE_CHILDREN)
  }

  /** Ranges of keys that cover all children of an interior node, each with a bounded length of text. */
  #textPages(branch: Interior): Iterable<KeyRange> {
    return (branch.traits & Trait.longTexts) === 0
      ? this.#pages(branch, this.#pageSize(branch))
      : this.#longPages(branch)
  }

  *#longPages({ id: parent }: Interior): Generator<KeyRange> {
    let after = ''
    for (;;) {
      const rows = this.#statements.lengths.all({ parent, after })
      let end = 0
      for (const size of pageSizes(rows.map(({ length }) => length))) {
        end += size
        const last = rows[end - 1]?.key ?? LAST_KEY
        yield size === 1 ? { parent, after, end: last, isSingle: true } : { parent, after, end: last }
        after = last
      }
      if (rows.length < ROWS_MEASURED) return
    }
  }

  /** Divides the children of an interior node into ranges of a bounded number. */
  *#pages({ id, childCount }: Interior, size: number): Generator<KeyRange> {
    const parent = id
    let after = ''
    // A priority is one more row.
    let left = childCount + 1
    while (left > size) {
      const end = this.#statements.pageEnd.get({ parent, after, offset: size - 1 })?.key
      if (end === undefined) break
      left -= size
      yield { parent, after, end }
      after = end
    }
    yield { parent, after, end: LAST_KEY }
  }

  /** Stored text of an interior node. @throws `read-too-big` */
  *text(id: number, budget: Budget): Generator<void, AnyText> {
    const text = new TextBuilder()
    yield* this.#print(id, budget, text)
    return text.end()
  }

  *#print(id: number, budget: Budget, into: TextBuilder): Generator<void, void> {
    const branch = this.interior(id)
    const { childCount, traits } = branch
    if ((traits & Trait.priorities) !== 0) budget.hasPriorities = true
    const careful = (traits & Trait.carefulKeys) !== 0
    const length = careful ? yield* this.#arrayLength(branch) : undefined
    if (length !== undefined) {
      spend(budget, '[]', length - 1 + (length - childCount) * 'null'.length)
      yield* this.#printArray(branch, length, { budget, into })
      return
    }
    let before = spend(budget, '{')
    const isFlat = this.#statements.branchesBelow.get(id) === null
    for (const range of this.#textPages(branch)) {
      // SQLite reads the whole text of a long child to find its row, and again to return it.
      if (range.isSingle) yield
      const page = range.isSingle ? this.#onlyText(range) : careful ? this.#carefulText(range) : this.#plainText(range)
      if (page === undefined) break
      const { first, text } = page
      // One more for the comma or brace after it.
      into.add(before + spend(budget, first, 1))
      before = ','
      if (isFlat) into.add(spend(budget, text))
      else yield* this.#fillIn(text, budget, into)
      yield
    }
    into.add(before === ',' ? '}' : '{}')
  }

  #plainText(range: KeyRange): Page | undefined {
    const page = (range.end === LAST_KEY ? this.#statements.plainRest : this.#statements.plainPage).get(range)
    return page?.text == null ? undefined : { first: `"${page.first}":`, text: page.text }
  }

  /** The text of a single child, which is not copied: it may have many megabytes. */
  #onlyText(range: KeyRange): Page | undefined {
    const row = this.#statements.rows.get(range)
    return row && { first: `${JSON.stringify(keyOf(row.key))}:`, text: row.text }
  }

  #carefulText(range: KeyRange): Page | undefined {
    const text = this.#statements.carefulPage.get(range)?.text
    return typeof text === 'string' ? { first: '', text: nameKeys(text) } : undefined
  }

  /** Replaces each mark by the text of its interior child. */
  *#fillIn(text: string, budget: Budget, into: TextBuilder): Generator<void, void> {
    if (!text.includes(INTERIOR_MARK)) {
      into.add(spend(budget, text))
      return
    }
    for (const [index, part] of text.split(INTERIOR_MARK).entries()) {
      if (index % 2 === 0) into.add(spend(budget, part))
      else yield* this.#print(Number(part), budget, into)
    }
  }

  /** Integer keys sort first, so the last key and the count rule out an array for nearly every node. */
  *#arrayLength(branch: Interior): Generator<void, number | undefined> {
    const last = this.#statements.lastKey.get({ parent: branch.id })?.key
    if (last === undefined || !(Number(keyOf(last)) + 1 < branch.childCount * 2)) return undefined
    const keys: string[] = []
    for (const range of this.#pages(branch, PAGE_CHILDREN)) {
      for (const [key] of this.#statements.keys.values(range)) keys.push(keyOf(String(key)))
      yield
    }
    return yield* arrayLengthInSteps(keys)
  }

  /** Prints children with array keys, which are in numeric order. */
  *#printArray(branch: Interior, length: number, { budget, into }: Printing): Generator<void, void> {
    into.add('[')
    let next = 0
    for (const range of this.#textPages(branch)) {
      for (const { key, text } of this.#statements.rows.all(range)) {
        for (const index = Number(keyOf(key)); next < index; next++) into.add(next === 0 ? 'null' : ',null')
        if (next > 0) into.add(',')
        next++
        yield* this.#fillIn(text, budget, into)
      }
      yield
    }
    if (next !== length) throw new DholeError('internal', undefined, { cause: `array of ${length} ends at ${next}` })
    into.add(']')
  }
}

/** Replaces each marked key by its JSON text. */
function nameKeys(text: string): string {
  const parts = text.split(KEY_MARK)
  for (let index = 1; index < parts.length; index += 2) parts[index] = JSON.stringify(keyOf(parts[index] ?? ''))
  return parts.join('')
}
