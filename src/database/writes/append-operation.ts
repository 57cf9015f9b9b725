import { DholeError } from '../../error.ts'
import { atOnce } from '../../scheduling/steps.ts'
import type { CommitContext } from '../../store/store.ts'
import type { Limits } from '../../tree/limits.ts'
import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { isLargePlan, type WritePlan } from '../../tree/write.ts'
import type { Authorizer } from '../access/authorizer.ts'
import { PlanResolver, resolveAsStored, withPauses } from './plan-resolver.ts'
import { checkCost } from './write-checks.ts'
import type { Decided, StoredOutcome, WriteOperation } from './write-operation.ts'
import { type Appended, appended, REPLAYED, type WriteOptions } from './write-request.ts'

/** POST: appends a child under a generated key. */
export class AppendOperation implements WriteOperation<Appended> {
  readonly method = 'POST'
  readonly path: Path
  readonly json: unknown
  readonly #plan: WritePlan
  readonly #options: WriteOptions
  readonly #limits: Limits
  readonly #resolver: PlanResolver | undefined
  /** Key of the child. Generated once, however often the operation runs. */
  #name: string | undefined

  /** @param plan puts the payload at any child of `path` */
  constructor(path: Path, plan: WritePlan, options: WriteOptions, limits: Limits) {
    this.path = path
    this.json = plan.json
    this.#plan = plan
    this.#options = options
    this.#limits = limits
    this.#resolver = PlanResolver.for(plan)
  }

  get isLarge(): boolean {
    return isLargePlan(this.#plan)
  }

  *decide(given: CommitContext, authorizer: Authorizer | undefined): Reads<Decided<Appended>> {
    const context = this.#resolver?.contextOf(given) ?? given
    const { now } = context
    this.#name = given.nextPushId(this.#name)
    const path = [...this.path, this.#name]
    const plan = this.#plan.serverValues.length === 0 ? this.#plan : yield* this.#resolve(now)
    const writes = plan.writes.map((write) => ({ ...write, path }))
    const authorization = authorizer && (yield* authorizer.authorizeWrite(writes, now))
    yield* checkCost({ nodes: plan.nodes, writes }, this.#options.maxSeconds, this.#limits)
    if (authorizer !== undefined && authorization !== undefined) yield* authorizer.validateWrite(authorization)
    const canStoreAhead = plan === this.#plan || this.#resolver !== undefined
    return { result: appended(this.#name, plan), change: { plan, path, writes, canStoreAhead } }
  }

  outcomeToStore({ name }: Appended, given: CommitContext): Reads<StoredOutcome> {
    const { now } = this.#resolver?.contextOf(given) ?? given
    return atOnce(() => ({ kind: 'appended', name, now }))
  }

  *restore(stored: StoredOutcome): Reads<Appended> {
    if (stored.kind !== 'appended') throw new DholeError('internal')
    const plan = yield* resolveAsStored(this.#plan, stored.now, [])
    return Object.assign(appended(stored.name, plan), REPLAYED)
  }

  /** A new child has no old number to add to. */
  #resolve(now: number): Reads<WritePlan> {
    const old = new Map<string, number>()
    return withPauses(this.#resolver?.resolve(this.#plan, now, old) ?? this.#plan.resolve({ now, old }))
  }
}
