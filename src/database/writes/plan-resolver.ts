import type { Steps } from '../../scheduling/steps.ts'
import type { CommitContext } from '../../store/store.ts'
import { isLargePlan, type WritePlan } from '../../tree/write.ts'

/**
 * Fills in the server values of one large write. While the numbers it adds to stay the same, every run of its job gets the
 * same plan, so that the store may write its values ahead of the commit. All runs have the time of the first one.
 */
export class PlanResolver {
  #context: CommitContext | undefined
  #old: ReadonlyMap<string, number> | undefined
  #resolved: WritePlan | undefined

  /** The resolver of a write; `undefined` where one run of its job is enough. */
  static for(plan: WritePlan): PlanResolver | undefined {
    return plan.serverValues.length > 0 && isLargePlan(plan) ? new PlanResolver() : undefined
  }

  /** The context of the first run. */
  contextOf(context: CommitContext): CommitContext {
    this.#context ??= context
    return this.#context
  }

  /** @param old the numbers that the plan adds to, by the text of their paths */
  *resolve(plan: WritePlan, now: number, old: ReadonlyMap<string, number>): Steps<WritePlan> {
    if (this.#resolved !== undefined && isSame(this.#old, old)) return this.#resolved
    const resolved = yield* plan.resolve({ now, old })
    this.#old = old
    this.#resolved = resolved
    return resolved
  }
}

function isSame(one: ReadonlyMap<string, number> | undefined, other: ReadonlyMap<string, number>): boolean {
  if (one?.size !== other.size) return false
  for (const [path, number] of one) if (!Object.is(other.get(path), number)) return false
  return true
}
