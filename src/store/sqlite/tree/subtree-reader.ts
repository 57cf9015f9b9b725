import { and, desc, eq, lte, type SQL, sql } from 'drizzle-orm'
import { DholeError } from '../../../error.ts'
import { type AnyText, TextBuilder } from '../../../tree/json/text-pieces.ts'
import { arrayLengthInSteps, keyOf } from '../../../tree/order.ts'
import { type Budget, spend } from '../../rows/read-budget.ts'
import { type Interior, isChild, LAST_KEY, Trait } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { interior, node } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'
import { ChildPages, type KeyRange, OF_PARENT, REST } from './child-pages.ts'
import { TextChunks } from './text-chunks.ts'

/** Marks in assembled text that JavaScript replaces; no JSON text contains these characters. */
const ID_MARK = '\u0002'
const KEY_MARK = '\u0003'

const MARKED_ID = sql.raw(`char(2) || ${node.id.name} || char(2)`)
const MARKED_KEY = sql`char(3) || ${node.key} || char(3)`
const FLAT_TEXT = sql`${node.value}`
/** Of interior nodes and chunked texts, whose slots have an id, the mark. */
const TEXT = sql`iif(${node.id} IS NULL, ${node.value}, ${MARKED_ID})`

/** Members of one page of children. */
interface Page {
  /** Text before `text`: the first key with its quotes and colon. */
  readonly first: string
  readonly text: string
}

/** Keys read in one step. */
const PAGE_KEYS = 512

/** State of printing. */
interface Printing {
  readonly budget: Budget
  readonly into: TextBuilder
}

const RANGE = and(REST, lte(node.key, sql.placeholder('end')))

const statements = defineStatements({
  interiorRow: ({ orm }) =>
    orm
      .select({ id: interior.id, childCount: interior.childCount, traits: interior.traits })
      .from(interior)
      .where(eq(interior.id, sql.placeholder('id')))
      .prepare(),
  plainPage: ({ orm }) => plainText(orm, TEXT).where(RANGE).prepare(),
  // Without an end: comparing each key with `LAST_KEY` would take a twentieth of the read.
  plainRest: ({ orm }) => plainText(orm, TEXT).where(REST).prepare(),
  flatPage: ({ orm }) => plainText(orm, FLAT_TEXT).where(RANGE).prepare(),
  flatRest: ({ orm }) => plainText(orm, FLAT_TEXT).where(REST).prepare(),
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
  lastKey: ({ orm }) =>
    orm.select({ key: node.key }).from(node).where(OF_PARENT).orderBy(desc(node.key)).limit(1).prepare(),
})

/** Selects the children after a key as one text. */
function plainText(orm: Connection['orm'], member: SQL) {
  // The rows of a range are in key order, because the table is.
  const first = orm.select({ key: node.key }).from(node).where(REST).orderBy(node.key).limit(1)
  // Each key is the separator before its own text, which saves copying the text; the first text has none.
  const text = sql<string | null>`group_concat(${member}, ',"' || ${node.key} || '":')`
  return orm.select({ first: sql<string | null>`${first}`, text }).from(node)
}

/**
 * Assembles the text of interior nodes from the rows of their children, page by page. Reads are generators that pause
 * between pages.
 */
export class SubtreeReader {
  readonly #statements
  readonly #pages: ChildPages
  readonly #chunks: TextChunks

  constructor(connection: Connection) {
    this.#statements = statements(connection)
    this.#pages = new ChildPages(connection)
    this.#chunks = new TextChunks(connection)
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
    for (const range of this.#pages.pages(this.interior(id), PAGE_KEYS)) {
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

  /** The string of a chunked text. */
  string(id: number): Generator<void, string> {
    return this.#chunks.string(id)
  }

  /** A part of the string of a chunked text, by its number from 0; `undefined` behind the end. */
  characters(id: number, chunk: number): string | undefined {
    return this.#chunks.characters(id, chunk)
  }

  /** Stored text of an interior node or of a chunked text. @throws `read-too-big` */
  *text(id: number, budget: Budget): Generator<void, AnyText> {
    const text = new TextBuilder()
    yield* this.#print(id, budget, text)
    return text.end()
  }

  *#print(id: number, budget: Budget, into: TextBuilder): Generator<void, void> {
    const branch = this.interior(id)
    const { childCount, traits } = branch
    if ((traits & Trait.chunks) !== 0) return yield* this.#printChunks(id, budget, into)
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
    for (const range of this.#pages.textPages(branch)) {
      // SQLite reads the whole text of a long child to find its row, and again to return it.
      if (range.isSingle) yield
      const page = range.isSingle
        ? this.#onlyText(range)
        : careful
          ? this.#carefulText(range)
          : this.#plainText(range, isFlat)
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

  *#printChunks(id: number, budget: Budget, into: TextBuilder): Generator<void, void> {
    for (const chunk of this.#chunks.of(id)) {
      into.add(spend(budget, chunk))
      yield
    }
  }

  #plainText(range: KeyRange, isFlat: boolean): Page | undefined {
    const page = this.#plainStatement(isFlat, range.end === LAST_KEY).get(range)
    return page?.text == null ? undefined : { first: `"${page.first}":`, text: page.text }
  }

  /** One is taken, and not one of all four: each is prepared when it is first taken. */
  #plainStatement(isFlat: boolean, isRest: boolean) {
    if (isFlat) return isRest ? this.#statements.flatRest : this.#statements.flatPage
    return isRest ? this.#statements.plainRest : this.#statements.plainPage
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
    if (!text.includes(ID_MARK)) {
      into.add(spend(budget, text))
      return
    }
    for (const [index, part] of text.split(ID_MARK).entries()) {
      if (index % 2 === 0) into.add(spend(budget, part))
      else yield* this.#print(Number(part), budget, into)
    }
  }

  /** Integer keys sort first, so the last key and the count rule out an array for nearly every node. */
  *#arrayLength(branch: Interior): Generator<void, number | undefined> {
    const last = this.#statements.lastKey.get({ parent: branch.id })?.key
    if (last === undefined || !(Number(keyOf(last)) + 1 < branch.childCount * 2)) return undefined
    const keys: string[] = []
    for (const range of this.#pages.pages(branch, PAGE_KEYS)) {
      for (const [key] of this.#statements.keys.values(range)) keys.push(keyOf(String(key)))
      yield
    }
    return yield* arrayLengthInSteps(keys)
  }

  /** Prints children with array keys, which are in numeric order. */
  *#printArray(branch: Interior, length: number, { budget, into }: Printing): Generator<void, void> {
    into.add('[')
    let next = 0
    for (const range of this.#pages.textPages(branch)) {
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
