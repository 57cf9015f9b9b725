import { type Family, type Query, type QueryLike, toQuery } from '../query/query.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { ReadLimit, TreeStore } from '../store/store.ts'
import { ChildrenText } from '../tree/json/children-text.ts'
import type { NodeText, ReadText } from '../tree/json/node-text.ts'
import type { AnyText } from '../tree/json/text-pieces.ts'
import { type PathLike, toPath } from '../tree/path.ts'
import type { ReadAccess } from './access/read-access.ts'
import type { DeclaredIndexes } from './declared-indexes.ts'
import type { QueryAnswer, ReadOptions } from './read-types.ts'

/** Authorises and bounds the reads of one tree. */
export class TreeReads {
  readonly #store: TreeStore
  readonly #access: ReadAccess
  readonly #indexes: DeclaredIndexes
  readonly #profile: Family
  /** Bounds on a read that asks for no shorter timeout. */
  readonly #limit: ReadLimit

  constructor(store: TreeStore, access: ReadAccess, indexes: DeclaredIndexes, profile: Family, limit: ReadLimit) {
    this.#store = store
    this.#access = access
    this.#indexes = indexes
    this.#profile = profile
    this.#limit = limit
  }

  node(where: PathLike, options: ReadOptions): Awaitable<NodeText | undefined> {
    const path = toPath(where)
    const authorize = this.#access.authorize({ path, query: undefined, access: options })
    return this.#store.node(path, this.#limitOf(options), authorize)
  }

  async query(path: PathLike, query: QueryLike, options: ReadOptions): Promise<QueryAnswer> {
    const answer = await this.select(path, query, options)
    const chosen = answer instanceof ChildrenText ? answer : undefined
    return {
      get text() {
        return answer?.plain ?? 'null'
      },
      get children() {
        return chosen?.parse() ?? []
      },
    }
  }

  select(where: PathLike, like: QueryLike, options: ReadOptions): Awaitable<ReadText | undefined> {
    const path = toPath(where)
    const query = toQuery(like, this.#profile)
    const check = () => this.#indexes.check(path, query)
    const authorize = this.#access.authorize({ path, query, access: options, check })
    return this.#store.query(path, query, this.#limitOf(options), authorize)
  }

  shallow(where: PathLike, query: Query | undefined, options: ReadOptions): Awaitable<AnyText | undefined> {
    const path = toPath(where)
    const authorize = this.#access.authorize({ path, query, access: options })
    return this.#store.shallow(path, this.#limitOf(options), query, authorize)
  }

  count(where: PathLike, like: QueryLike | undefined, options: ReadOptions): Awaitable<number> {
    const path = toPath(where)
    const query = like && toQuery(like, this.#profile)
    const check = () => query && this.#indexes.check(path, query)
    const authorize = this.#access.authorize({ path, query, access: options, check })
    return this.#store.count(path, query, this.#limitOf(options), authorize)
  }

  #limitOf({ timeoutMs }: ReadOptions): ReadLimit {
    if (timeoutMs === undefined || timeoutMs >= this.#limit.timeoutMs) return this.#limit
    return { maxLength: this.#limit.maxLength, timeoutMs }
  }
}
