import type { Caller } from '../auth/caller.ts'
import { type Family, type Query, type QueryLike, toQuery } from '../query/query.ts'
import type { RuleSet } from '../rules/file/rule-set.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { ReadLimit, TreeStore } from '../store/store.ts'
import { ChildrenText } from '../tree/json/children-text.ts'
import type { NodeText, ReadText } from '../tree/json/node-text.ts'
import type { AnyText } from '../tree/json/text-pieces.ts'
import { type Path, type PathLike, toPath } from '../tree/path.ts'
import type { AuthorizeRead, Reads } from '../tree/read-program.ts'
import type { Access } from './access/access.ts'
import { Authorizer, RULES } from './access/authorizer.ts'
import { DecisionCache } from './access/decision-cache.ts'
import type { RuleCache } from './access/rule-cache.ts'
import type { DeclaredIndexes } from './declared-indexes.ts'
import type { QueryAnswer, ReadOptions } from './read-types.ts'

/** Authorises and bounds the reads of one tree. */
export class TreeReads {
  readonly #store: TreeStore
  readonly #ruleCache: RuleCache
  readonly #indexes: DeclaredIndexes
  readonly #profile: Family
  /** Bounds on a read that asks for no shorter timeout. */
  readonly #limit: ReadLimit
  readonly #decisions = new DecisionCache()

  constructor(store: TreeStore, ruleCache: RuleCache, indexes: DeclaredIndexes, profile: Family, limit: ReadLimit) {
    this.#store = store
    this.#ruleCache = ruleCache
    this.#indexes = indexes
    this.#profile = profile
    this.#limit = limit
  }

  node(where: PathLike, options: ReadOptions): Awaitable<NodeText | undefined> {
    const path = toPath(where)
    return this.#store.node(path, this.#limitOf(options), this.#authorization(path, undefined, options))
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
    const authorize = this.#authorization(path, query, options, check)
    return this.#store.query(path, query, this.#limitOf(options), authorize)
  }

  shallow(where: PathLike, query: Query | undefined, options: ReadOptions): Awaitable<AnyText | undefined> {
    const path = toPath(where)
    return this.#store.shallow(path, this.#limitOf(options), query, this.#authorization(path, query, options))
  }

  count(where: PathLike, like: QueryLike | undefined, options: ReadOptions): Awaitable<number> {
    const path = toPath(where)
    const query = like && toQuery(like, this.#profile)
    const check = () => query && this.#indexes.check(path, query)
    const authorize = this.#authorization(path, query, options, check)
    return this.#store.count(path, query, this.#limitOf(options), authorize)
  }

  #limitOf({ timeoutMs }: ReadOptions): ReadLimit {
    if (timeoutMs === undefined || timeoutMs >= this.#limit.timeoutMs) return this.#limit
    return { maxLength: this.#limit.maxLength, timeoutMs }
  }

  /**
   * The authorisation of a read, which throws `permission-denied`; `undefined` when the caller needs none.
   * @param check runs once the read is allowed; what it throws refuses the read
   */
  #authorization(path: Path, query: Query | undefined, access: Access, check?: () => void): AuthorizeRead | undefined {
    if (isRestricted(access)) return () => this.#authorize(path, query, access, check)
    check?.()
    return undefined
  }

  /** Evaluates the rules, unless the decision is cached. A trace needs the evaluation. */
  #authorize(
    path: Path,
    query: Query | undefined,
    access: RestrictedAccess,
    check: (() => void) | undefined,
  ): Reads<void> | undefined {
    const rules = this.#ruleCache.of(this.#store.setting(RULES))
    const isAllowed =
      access.onTrace === undefined &&
      (rules.isPublic || (query === undefined && this.#decisions.has(access.as, rules, path)))
    if (!isAllowed) return this.#evaluate(path, query, access, check, rules)
    check?.()
    return undefined
  }

  *#evaluate(
    path: Path,
    query: Query | undefined,
    { as, onTrace }: RestrictedAccess,
    check: (() => void) | undefined,
    rules: RuleSet,
  ): Reads<void> {
    const { clock } = this.#store
    const decision = yield* new Authorizer(this.#ruleCache, as, onTrace, { clock }).authorizeRead(path, query)
    check?.()
    if (query === undefined) this.#decisions.add(as, rules, path, decision)
  }
}

/** Access of a caller that the rules apply to. */
interface RestrictedAccess extends Access {
  readonly as: Caller
}

function isRestricted(access: Access): access is RestrictedAccess {
  return access.as !== undefined && access.as.kind !== 'admin'
}
