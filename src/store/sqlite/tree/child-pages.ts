import { and, eq, gt, sql } from 'drizzle-orm'
import { pageSizes, ROWS_MEASURED, rowsOfPage } from '../../rows/page-sizes.ts'
import { type Interior, LAST_KEY, Trait } from '../../rows/slot.ts'
import type { Connection } from '../file/connection.ts'
import { node } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'

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

  /** Ranges of keys that cover all children of an interior node, each with a bounded length of text. */
  textPages(branch: Interior): Iterable<KeyRange> {
    return (branch.traits & Trait.longTexts) === 0
      ? this.pages(branch, rowsOfPage(branch.traits))
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
