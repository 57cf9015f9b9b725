import { isWildcard } from '../../../query/index-declarations.ts'
import { sortKey } from '../../../tree/order.ts'
import type { Path } from '../../../tree/path.ts'
import { ROOT_KEY, ROOT_PARENT } from '../../rows/slot.ts'
import { arrayOf } from '../connection/arrays.ts'
import type { Statements } from '../connection/lane.ts'

/** Interior nodes looked at in one statement. */
const PAGE_NODES = 512

const BY_KEY = `SELECT n.id::float8 AS id FROM unnest($2::bigint[]) AS s(parent)
CROSS JOIN LATERAL (SELECT c.id FROM node c WHERE c.tree = $1::int AND c.parent_id = s.parent AND c.key = $3::text LIMIT 1) n
WHERE n.id IS NOT NULL`
const ALL_CHILDREN = `SELECT key, id::float8 AS id FROM node WHERE tree = $1::int AND parent_id = $2::bigint
AND key > $3::text ORDER BY key LIMIT ${PAGE_NODES}`
const LONG = `SELECT id::float8 AS id FROM interior
WHERE tree = $1::int AND id = ANY($2::bigint[]) AND child_count > $3::int`

/** Finds lists by a pattern of keys. What changes meanwhile may be found or not. */
export class LongLists {
  readonly #statements: Statements
  readonly #tree: number

  constructor(statements: Statements, tree: number) {
    this.#statements = statements
    this.#tree = tree
  }

  /** Ids of the lists at paths that match, with more than `shortest` children. */
  async find(pattern: Path, shortest: number): Promise<readonly number[]> {
    let level = await this.#below([ROOT_PARENT], ROOT_KEY)
    for (const key of pattern)
      level = isWildcard(key) ? await this.#childrenOf(level) : await this.#below(level, sortKey(key))
    const long: number[] = []
    for (const ids of pagesOf(level)) {
      const rows = await this.#statements.query<{ id: number }>(LONG, [this.#tree, arrayOf(ids), shortest])
      long.push(...rows.map(({ id }) => id))
    }
    return long
  }

  /** Id of the list at a path; `undefined` when there is none with children of rows of their own. */
  async at(list: Path): Promise<number | undefined> {
    let level = await this.#below([ROOT_PARENT], ROOT_KEY)
    for (const key of list) level = await this.#below(level, sortKey(key))
    return level[0]
  }

  async #below(parents: readonly number[], key: string): Promise<number[]> {
    const found: number[] = []
    for (const ids of pagesOf(parents)) {
      const rows = await this.#statements.query<{ id: number }>(BY_KEY, [this.#tree, arrayOf(ids), key])
      for (const { id } of rows) found.push(id)
    }
    return found
  }

  async #childrenOf(parents: readonly number[]): Promise<number[]> {
    const found: number[] = []
    for (const parent of parents) {
      let after = ''
      for (let isMore = true; isMore; ) {
        const page = await this.#statements.query<{ key: string; id: number | null }>(ALL_CHILDREN, [
          this.#tree,
          parent,
          after,
        ])
        for (const { id } of page) if (id !== null) found.push(id)
        after = page.at(-1)?.key ?? after
        isMore = page.length === PAGE_NODES
      }
    }
    return found
  }
}

function* pagesOf(ids: readonly number[]): Generator<readonly number[], void> {
  for (let from = 0; from < ids.length; from += PAGE_NODES) yield ids.slice(from, from + PAGE_NODES)
}
