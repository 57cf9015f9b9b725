import { and, eq, gt, sql } from 'drizzle-orm'
import { pageSizes, ROWS_MEASURED } from '../../rows/page-sizes.ts'
import { type Interior, LAST_KEY, Trait } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { node } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'

/** Fewest children read in one step where all texts are short: at most half a megabyte. */
export const PAGE_CHILDREN = 512
/** Children read in one step where no text is long, but some are not short: at most one megabyte. */
const NOT_SHORT_CHILDREN = 128
/** Target length of a page with small children, estimated from the first of them. */
const PAGE_LENGTH = 512 * 1024
/** Most children of a page, whatever the length of the first of them: at most two megabytes, where all texts are short. */
const MAX_PAGE_CHILDREN = 2048
const SAMPLED_CHILDREN = 16

/** Children after one key and up to another. */
export interface KeyRange extends Record<string, unknown> {
  readonly parent: number
  readonly after: string
  readonly end: string
  /** Whether it holds a single child. */
  readonly isSingle?: true
}

export const OF_PARENT = eq(node.parentId, sql.placeholder('parent'))
/** The children after a key. */
export const REST = and(OF_PARENT, gt(node.key, sql.placeholder('after')))

const statements = defineStatements({
  pageEnd: ({ orm }) =>
    orm
      .select({ key: node.key })
      .from(node)
      .where(REST)
      .orderBy(node.key)
      .limit(1)
      .offset(sql.placeholder('offset'))
      .prepare(),
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
})

/** Divides the children of interior nodes into ranges that are read in one step each. */
export class ChildPages {
  readonly #statements

  constructor(connection: Connection) {
    this.#statements = statements(connection)
  }

  /** How many children without long texts to read in one step. */
  #pageSize({ id, childCount, traits }: Interior): number {
    if ((traits & Trait.notShortTexts) !== 0) return NOT_SHORT_CHILDREN
    if (childCount < PAGE_CHILDREN) return PAGE_CHILDREN
    const average = this.#statements.sample.get({ parent: id })?.average ?? 1
    return Math.min(Math.max(Math.floor(PAGE_LENGTH / average), PAGE_CHILDREN), MAX_PAGE_CHILDREN)
  }

  /** Ranges of keys that cover all children of an interior node, each with a bounded length of text. */
  textPages(branch: Interior): Iterable<KeyRange> {
    return (branch.traits & Trait.longTexts) === 0
      ? this.pages(branch, this.#pageSize(branch))
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
  *pages({ id, childCount }: Interior, size: number): Generator<KeyRange> {
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
}
