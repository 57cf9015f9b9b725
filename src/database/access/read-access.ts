import type { Caller } from '../../auth/caller.ts'
import type { Query } from '../../query/query.ts'
import { isPublic, isWritable } from '../../rules/decision/authorize.ts'
import type { Reach } from '../../rules/decision/may-write-some.ts'
import type { RuleSet } from '../../rules/file/rule-set.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { ReadLimit, TreeStore } from '../../store/store.ts'
import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { Access } from './access.ts'
import { type Admission, Authorizer, type AuthorizerOptions, RULES } from './authorizer.ts'
import { DecisionCache } from './decision-cache.ts'
import type { RuleCache } from './rule-cache.ts'

/** What is to be read, and for whom. */
interface ReadRequest {
  readonly path: Path
  readonly query: Query | undefined
  readonly access: Access
  /** Throws where a read that is allowed is refused all the same. */
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
   * Reads what the rules allow.
   * @param read is given what is to be asked on the commit that it reads
   * @throws `permission-denied`
   */
  read<T>(asked: ReadRequest, read: (authorize: ReadLimit['judge']) => Awaitable<T>): Awaitable<T> {
    const { as } = asked.access
    if (as !== undefined && as.kind !== 'admin') return read(() => this.#asking(asked, as))
    asked.check?.()
    return read(undefined)
  }

  /**
   * What the durable state of the tree says to a write before its body is read. Whoever wants to hear why a write is
   * refused has the write itself judged.
   */
  admission(path: Path, reach: Reach, { as, onTrace }: Access): Awaitable<Admission> {
    if (as === undefined || as.kind === 'admin' || onTrace !== undefined || isWritable(this.rules)) return 'open'
    return this.#store.read(() => new Authorizer(this.#ruleCache, as, undefined).admission(path, reach))
  }

  /** What is to be asked now; nothing where it is known what the rules in force say. */
  #asking(asked: ReadRequest, caller: Caller): Reads<void> | undefined {
    if (!this.#isSettled(asked, caller)) return this.#evaluate(asked, caller)
    asked.check?.()
    return undefined
  }

  *#evaluate({ path, query, access, check }: ReadRequest, caller: Caller): Reads<void> {
    const { verdict, rules } = yield* new Authorizer(this.#ruleCache, caller, access.onTrace).authorizeRead(path, query)
    check?.()
    if (verdict.fixed && query === undefined) this.#decisions.add(caller, rules, path)
  }

  /** Whether it is known that the rules allow it. Whoever wants to hear why has them asked. */
  #isSettled({ path, query, access }: ReadRequest, caller: Caller): boolean {
    if (access.onTrace !== undefined) return false
    const { rules } = this
    return isPublic(rules) || (query === undefined && this.#decisions.has(caller, rules, path))
  }
}
