import type { Steps } from '../../scheduling/steps.ts'
import type { CommitContext } from '../../store/store.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { isLargePlan, type WritePlan } from '../../tree/write.ts'

/**
 * Fills in the server values of one large write. While the numbers it adds to stay the same, every run of its job gets the
 * same plan, so that the store may write its values ahead of the commit. All runs use the time of the first one.
 */
export class PlanResolver {
  #context: CommitContext | undefined
  #old: ReadonlyMap<string, number> | undefined
  #resolved: WritePlan | undefined

  /** The resolver of a write; `undefined` if each run of its job may fill in the values anew. */
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

/** Paths of the numbers that a plan adds to. */
export function incrementsOf({ serverValues }: WritePlan): readonly Path[] {
  return serverValues.filter(({ serverValue }) => serverValue.kind === 'increment').map(({ path }) => path)
}

/** The numbers that a plan adds to, by the text of their paths. */
export function* oldNumbers(plan: WritePlan): Reads<ReadonlyMap<string, number>> {
  const old = new Map<string, number>()
  for (const path of incrementsOf(plan)) {
    const leaf = yield { kind: 'leaf', path }
    if (typeof leaf === 'number') old.set(formatPath(path), leaf)
  }
  return old
}

/** Runs steps that read nothing inside logic that reads. */
export function* withPauses<T>(steps: Steps<T>): Reads<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    yield { kind: 'pause' }
  }
}

/** The plan with the server values of an earlier, equal request. @param old numbers in the order of the increments */
export function* resolveAsStored(plan: WritePlan, now: number, old: readonly (number | null)[]): Reads<WritePlan> {
  if (plan.serverValues.length === 0) return plan
  const numbers = new Map<string, number>()
  for (const [index, path] of incrementsOf(plan).entries()) {
    const number = old[index]
    if (number !== undefined && number !== null) numbers.set(formatPath(path), number)
  }
  return yield* withPauses(plan.resolve({ now, old: numbers }))
}
