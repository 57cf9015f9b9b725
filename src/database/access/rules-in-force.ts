import type { Caller } from '../../auth/caller.ts'
import type { Reach } from '../../rules/decision/may-write-some.ts'
import type { RuleSet } from '../../rules/file/rule-set.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { TreeStore } from '../../store/store.ts'
import type { Path } from '../../tree/path.ts'
import type { Access } from './access.ts'
import { type Admission, Authorizer, type AuthorizerOptions, RULES } from './authorizer.ts'
import type { RuleCache } from './rule-cache.ts'

/** The rules in force of one tree, and their evaluation for callers. */
export class RulesInForce {
  readonly #store: TreeStore
  readonly #ruleCache: RuleCache

  constructor(store: TreeStore, ruleCache: RuleCache) {
    this.#store = store
    this.#ruleCache = ruleCache
  }

  /** Those in force where none are stored. */
  get fallback(): RuleSet {
    return this.#ruleCache.of(undefined)
  }

  get current(): RuleSet {
    return this.#ruleCache.of(this.#store.setting(RULES))
  }

  /** Source of the rules that hold with this stored source; those of the settings where none is stored. */
  sourceOf(stored: string | undefined): string {
    return this.#ruleCache.of(stored).source
  }

  /** Evaluates the rules for a caller; `undefined` for a caller that no rule applies to. */
  authorizerFor({ as, onTrace }: Access, options?: AuthorizerOptions): Authorizer | undefined {
    if (as === undefined || as.kind === 'admin') return undefined
    return new Authorizer(this.#ruleCache, as, onTrace, { ...options, clock: this.#store.clock })
  }

  /**
   * The permission of a write before its body is read, by the durable state of the tree. With `onTrace` it is `open`:
   * only the write itself makes a complete trace.
   */
  admission(path: Path, reach: Reach, { as, onTrace }: Access): Awaitable<Admission> {
    // The write itself is judged by the rules of its commit: here newer rules only matter where they allow more.
    if (this.isOpenToWrites({ as, onTrace }) || as === undefined) return 'open'
    const fresh = this.#store.fresh()
    if (fresh !== undefined) return fresh.then(() => this.#admission(path, reach, as))
    return this.#admission(path, reach, as)
  }

  /** Whether `admission` is `open` wherever the caller writes. */
  isOpenToWrites({ as, onTrace }: Access): boolean {
    return as === undefined || as.kind === 'admin' || onTrace !== undefined || this.current.isWritable
  }

  #admission(path: Path, reach: Reach, as: Caller): Awaitable<Admission> {
    if (this.current.isWritable) return 'open'
    const { clock } = this.#store
    return this.#store.read(() => new Authorizer(this.#ruleCache, as, undefined, { clock }).admission(path, reach))
  }
}
