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

/** What a caller wants to read. */
interface RequestedRead {
  readonly path: Path
  readonly query: Query | undefined
  readonly access: Access
  /** Runs once the read is allowed. What it throws refuses the read. */
  readonly check?: (() => void) | undefined
}

/** Who may read what of one tree, by the rules in force. */
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

  /** Says what a caller may; `undefined` when everything is allowed. */
  authorizerFor({ as, onTrace }: Access, bounds?: AuthorizerOptions): Authorizer | undefined {
    return as === undefined || as.kind === 'admin' ? undefined : new Authorizer(this.#ruleCache, as, onTrace, bounds)
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
   * What the durable state of the tree says to a write before its body is read. Whoever wants to hear why a write is
   * refused has the write itself judged.
   */
  admission(path: Path, reach: Reach, { as, onTrace }: Access): Awaitable<Admission> {
    if (as === undefined || as.kind === 'admin' || onTrace !== undefined || isWritable(this.rules)) return 'open'
    return this.#store.read(() => new Authorizer(this.#ruleCache, as, undefined).admission(path, reach))
  }

  /** Evaluates the rules, unless their decision is cached. */
  #authorize(read: RequestedRead, caller: Caller): Reads<void> | undefined {
    if (!this.#isSettled(read, caller)) return this.#evaluate(read, caller)
    read.check?.()
    return undefined
  }

  *#evaluate({ path, query, access, check }: RequestedRead, caller: Caller): Reads<void> {
    const { verdict, rules } = yield* new Authorizer(this.#ruleCache, caller, access.onTrace).authorizeRead(path, query)
    check?.()
    if (verdict.fixed && query === undefined) this.#decisions.add(caller, rules, path)
  }

  /** Whether it is known that the rules allow it. Whoever wants to hear why has them asked. */
  #isSettled({ path, query, access }: RequestedRead, caller: Caller): boolean {
    if (access.onTrace !== undefined) return false
    const { rules } = this
    return isPublic(rules) || (query === undefined && this.#decisions.has(caller, rules, path))
  }
}
