import { DholeError } from '../../error.ts'
import type { CommitContext } from '../../store/store.ts'
import { etagMatches, NULL_ETAG } from '../../tree/json/etag.ts'
import { NodeText } from '../../tree/json/node-text.ts'
import { joined } from '../../tree/json/text-pieces.ts'
import type { Limits } from '../../tree/limits.ts'
import { formatPath, type Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import { isLargePlan, type WritePlan } from '../../tree/write.ts'
import type { Authorizer } from '../access/authorizer.ts'
import { hasHash } from './hash-condition.ts'
import { incrementsOf, oldNumbers, PlanResolver, resolveAsStored, withPauses } from './plan-resolver.ts'
import { checkCost, dropPrioritiesOfNothing } from './write-checks.ts'
import type { ConditionBounds, Decided, StoredOutcome, WriteOperation } from './write-operation.ts'
import { REPLAYED, type WriteMethod, type WriteOptions, type WriteOutcome, written } from './write-request.ts'

/**
 * Longest stored text of a node that did not match a condition, in UTF-16 code units. A million records are kept, and a
 * request of a few bytes makes one: a limit of 4096 could fill gigabytes.
 */
const MAX_CURRENT = 512

/** PUT, PATCH or DELETE. */
export class SetOperation implements WriteOperation<WriteOutcome> {
  readonly method: WriteMethod
  readonly #plan: WritePlan
  readonly #options: WriteOptions
  readonly #limits: Limits
  readonly #resolver: PlanResolver | undefined

  constructor(method: WriteMethod, plan: WritePlan, options: WriteOptions, limits: Limits) {
    this.method = method
    this.#plan = plan
    this.#options = options
    this.#limits = limits
    this.#resolver = PlanResolver.for(plan)
  }

  get path(): Path {
    return this.#plan.path
  }

  get json(): unknown {
    return this.#plan.json
  }

  get isLarge(): boolean {
    return isLargePlan(this.#plan)
  }

  *decide(
    given: CommitContext,
    authorizer: Authorizer | undefined,
    bounds: ConditionBounds = {},
  ): Reads<Decided<WriteOutcome>> {
    const { now } = this.#resolver?.contextOf(given) ?? given
    const { ifMatch, ifHash, isTrial, maxSeconds } = this.#options
    const plan = this.#plan.serverValues.length === 0 ? this.#plan : yield* this.#resolve(now, authorizer)
    const authorization = authorizer && (yield* authorizer.authorizeWrite(plan.writes, now))
    if (ifMatch !== undefined) {
      // A mismatch is answered with the data, so the caller must be allowed to read it.
      if (authorizer !== undefined) yield* authorizer.authorizeReadForWrite(plan.path)
      const current = (yield { kind: 'node', path: plan.path }) as NodeText | undefined
      const etag = current === undefined ? NULL_ETAG : yield* withPauses(current.etagInSteps())
      if (!etagMatches(ifMatch, etag)) return { result: { kind: 'mismatch', current }, change: undefined }
    }
    // The caller may have no permission to read, and gets no data.
    if (ifHash !== undefined && !(yield* hasHash(plan.path, ifHash, this.#limits, bounds))) {
      return { result: { kind: 'mismatch', current: undefined }, change: undefined }
    }
    yield* checkCost(plan, maxSeconds, this.#limits)
    const writes = yield* dropPrioritiesOfNothing(plan, authorizer)
    if (authorizer !== undefined && authorization !== undefined) yield* authorizer.validateWrite(authorization)
    if (isTrial === true) return { result: written(plan), change: undefined }
    // A job that waits for its values would be overtaken.
    const isOrdered = this.#options.order !== undefined
    const canStoreAhead = !isOrdered && (plan === this.#plan || this.#resolver !== undefined)
    return { result: written(plan), change: { plan, path: plan.path, writes, canStoreAhead } }
  }

  *outcomeToStore(result: WriteOutcome, given: CommitContext): Reads<StoredOutcome | undefined> {
    if (result.kind === 'mismatch') return storedMismatch(result.current)
    const { now } = this.#resolver?.contextOf(given) ?? given
    const increments = incrementsOf(this.#plan)
    if (increments.length === 0) return { kind: 'written', now, old: [] }
    const numbers = yield* oldNumbers(this.#plan)
    const old = numbers.size === 0 ? [] : increments.map((path) => numbers.get(formatPath(path)) ?? null)
    return { kind: 'written', now, old }
  }

  *restore(stored: StoredOutcome): Reads<WriteOutcome> {
    if (stored.kind === 'mismatch') {
      const current = stored.current === null ? undefined : new NodeText(stored.current)
      return { kind: 'mismatch', current, replayed: true }
    }
    if (stored.kind !== 'written') throw new DholeError('internal')
    const plan = yield* resolveAsStored(this.#plan, stored.now, stored.old)
    return Object.assign(written(plan), REPLAYED)
  }

  /** Fills in the server values. An error depends on the data, so only a caller who may write there gets it. */
  *#resolve(now: number, authorizer: Authorizer | undefined): Reads<WritePlan> {
    try {
      const old = yield* oldNumbers(this.#plan)
      return yield* withPauses(this.#resolver?.resolve(this.#plan, now, old) ?? this.#plan.resolve({ now, old }))
    } catch (error) {
      if (authorizer !== undefined) yield* authorizer.authorizeWrite(this.#plan.writes, now)
      throw error
    }
  }
}

/** Nothing was written, so a request with a long answer may be decided again. */
function storedMismatch(current: NodeText | undefined): StoredOutcome | undefined {
  if (current === undefined) return { kind: 'mismatch', current: null }
  if (current.stored.length > MAX_CURRENT) return undefined
  return { kind: 'mismatch', current: joined(current.stored) }
}
