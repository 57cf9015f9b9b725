import type { Caller } from '../../auth/caller.ts'
import { type Decision, isStillValid } from '../../rules/decision/decision.ts'
import type { RuleSet } from '../../rules/file/rule-set.ts'
import { formatPath, type Path } from '../../tree/path.ts'

/** Maximum cached paths of one caller. */
const MAX_PATHS = 64

/** Paths that one caller may read while the rules are in force. */
interface AllowedPaths {
  readonly rules: RuleSet
  readonly paths: Set<string>
}

/**
 * Caches allowed reads whose decision depends on the rules alone. A caller is identified by its object: the token cache
 * returns the same object for the same token.
 */
export class DecisionCache {
  readonly #callers = new WeakMap<Caller, AllowedPaths>()

  has(caller: Caller, rules: RuleSet, path: Path): boolean {
    const cached = this.#callers.get(caller)
    return cached !== undefined && cached.rules === rules && cached.paths.has(formatPath(path))
  }

  /** Caches the decision of a read without a query, if neither time nor writes can change it. */
  add(caller: Caller, rules: RuleSet, path: Path, decision: Decision): void {
    // A caller object that is not frozen may change.
    if (!decision.allowed || !isStillValid(decision, true, hasPaths) || !Object.isFrozen(caller)) return
    let cached = this.#callers.get(caller)
    if (cached?.rules !== rules) {
      cached = { rules, paths: new Set() }
      this.#callers.set(caller, cached)
    }
    if (cached.paths.size >= MAX_PATHS) cached.paths.clear()
    cached.paths.add(formatPath(path))
  }
}

/** The cache observes no writes, so every path may have been written to. */
function hasPaths(paths: readonly Path[]): boolean {
  return paths.length > 0
}
