import type { Caller } from '../../auth/caller.ts'
import type { Query } from '../../query/query.ts'
import { isPublic, isWritable } from '../../rules/decision/authorize.ts'
import type { Reach } from '../../rules/decision/may-write-some.ts'
import type { RuleSet } from '../../rules/file/rule-set.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { TreeStore } from '../../store/store.ts'
import type { Path } from '../../tree/path.ts'
import type { AuthorizeRead, Reads } from '../../tree/read-program.ts'
import type { Access } from './access.ts'
import { type Admission, Authorizer, type AuthorizerOptions, RULES } from './authorizer.ts'
import { DecisionCache } from './decision-cache.ts'
import type { RuleCache } from './rule-cache.ts'

/** A read that a caller requests. */
interface RequestedRead {
  readonly path: Path
  readonly query: Query | undefined
  readonly access: Access
  /** Runs once the read is allowed. What it throws refuses the read. */
  readonly check?: (() => void) | undefined
}

/** Authorises the requests to one tree by the rules in force. */
export class ReadAccess {
  readonly #store: TreeStore
  readonly #ruleCache: RuleCache
  readonly #decisions = new DecisionCache()

  constructor(store: TreeStore, ruleCache: RuleCache) {
    this.#store = store
    this.#ruleCache = ruleCache
  }

  /** The rules in force. */
  get rules(): RuleSet {
    return this.#ruleCache.of(this.#store.setting(RULES))
  }

  /** Evaluates the rules for a caller; `undefined` for a caller that no rule applies to. */
  authorizerFor({ as, onTrace }: Access, options?: AuthorizerOptions): Authorizer | undefined {
    return as === undefined || as.kind === 'admin' ? undefined : new Authorizer(this.#ruleCache, as, onTrace, options)
  }

  /**
   * The authorisation of a read, which throws `permission-denied`; `undefined` when the caller needs none.
   * @throws what `check` throws when the caller needs no authorisation
   */
  authorize(read: RequestedRead): AuthorizeRead | undefined {
    const { as } = read.access
    if (as !== undefined && as.kind !== 'admin') return () => this.#authorize(read, as)
    read.check?.()
    return undefined
  }

  /**
   * The permission of a write before its body is read, by the durable state of the tree. With `onTrace` it is `open`:
   * only the write itself makes a complete trace.
   */
  admission(path: Path, reach: Reach, { as, onTrace }: Access): Awaitable<Admission> {
    if (as === undefined || as.kind === 'admin' || onTrace !== undefined) return 'open'
    const fresh = this.#store.fresh()
    if (fresh !== undefined) return fresh.then(() => this.#admission(path, reach, as))
    return this.#admission(path, reach, as)
  }

  #admission(path: Path, reach: Reach, as: Caller): Awaitable<Admission> {
    if (isWritable(this.rules)) return 'open'
    return this.#store.read(() => new Authorizer(this.#ruleCache, as, undefined).admission(path, reach))
  }

  /** Evaluates the rules, unless the decision is cached. A trace needs the evaluation. */
  #authorize(read: RequestedRead, caller: Caller): Reads<void> | undefined {
    const { path, query, access, check } = read
    const { rules } = this
    const isAllowed =
      access.onTrace === undefined &&
      (isPublic(rules) || (query === undefined && this.#decisions.has(caller, rules, path)))
    if (!isAllowed) return this.#evaluate(read, caller, rules)
    check?.()
    return undefined
  }

  *#evaluate({ path, query, access, check }: RequestedRead, caller: Caller, rules: RuleSet): Reads<void> {
    const decision = yield* new Authorizer(this.#ruleCache, caller, access.onTrace).authorizeRead(path, query)
    check?.()
    if (query === undefined) this.#decisions.add(caller, rules, path, decision)
  }
}
