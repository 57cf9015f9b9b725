import type { Caller } from '../../auth/caller.ts'
import type { RuleSet } from '../../rules/file/rule-set.ts'
import { formatPath, type Path } from '../../tree/path.ts'

/** Paths remembered for one caller. */
const MOST_PATHS = 64

/** What one caller may read under some rules, whatever the data may be. */
interface Settled {
  readonly rules: RuleSet
  readonly paths: Set<string>
}

/**
 * Reads that the rules allow as long as they stand, so that they need not be judged again. Callers are known by
 * identity: a token that is verified once is one caller for as long as it lives.
 */
export class DecisionCache {
  readonly #callers = new WeakMap<Caller, Settled>()

  has(caller: Caller, rules: RuleSet, path: Path): boolean {
    const settled = this.#callers.get(caller)
    return settled !== undefined && settled.rules === rules && settled.paths.has(formatPath(path))
  }

  add(caller: Caller, rules: RuleSet, path: Path): void {
    // One that is not frozen may be another the next time.
    if (!Object.isFrozen(caller)) return
    let settled = this.#callers.get(caller)
    if (settled?.rules !== rules) {
      settled = { rules, paths: new Set() }
      this.#callers.set(caller, settled)
    }
    if (settled.paths.size >= MOST_PATHS) settled.paths.clear()
    settled.paths.add(formatPath(path))
  }
}
