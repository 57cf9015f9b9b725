import type { Caller } from '../../auth/caller.ts'
import { DholeError } from '../../error.ts'
import type { Query } from '../../query/query.ts'
import { type Decision, mayRead, type Visit, WriteAuthorization } from '../../rules/decision/authorize.ts'
import { mayWriteSome, type Reach } from '../../rules/decision/may-write-some.ts'
import type { AuthorizeOptions } from '../../rules/decision/rule-evaluator.ts'
import { EvaluationPostponed } from '../../rules/expression/rule-errors.ts'
import type { RuleSet } from '../../rules/file/rule-set.ts'
import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { Write } from '../../tree/write.ts'
import type { Access } from './access.ts'
import { queryFacts } from './query-facts.ts'
import type { RuleCache } from './rule-cache.ts'

/** Name of the rules among the texts kept beside a tree. */
export const RULES = 'rules'
/** Name of the time they have been in force since, in milliseconds since 1970. */
export const RULES_SINCE = 'rulesSince'

/** What rules have said to a read. */
export interface ReadRuling {
  readonly verdict: Decision
  readonly rules: RuleSet
  /** Places of the tree that were looked at. */
  readonly looked: readonly Path[]
}

/**
 * What is known of the permission of a write before its body is read. `refused`: no payload would be allowed.
 * `guarded`: some might be, and that depends on data of the tree: to read the payload must not tell anything of it.
 */
export type Admission = 'refused' | 'guarded' | 'open'

/** What a authorizer is asked for a write. */
type AuthorizationStep = 'write' | 'read' | 'validate'

/** How a authorizer works. */
export interface AuthorizerOptions {
  /** For judging while other writes wait, see `Budget`: what takes longer throws `JudgingPostponed`. */
  readonly patience?: number | undefined
  /** Hears that. */
  readonly onPostponed?: (() => void) | undefined
  /** What the rules are known to allow: they are not asked for it again. */
  readonly allowed?: ReadonlySet<AuthorizationStep> | undefined
  /** Why a write is refused, when that is known: then no rule is asked. */
  readonly refusal?: unknown
  /** Hears what they allow. */
  readonly onAllowed?: ((asked: AuthorizationStep) => void) | undefined
}

/**
 * What the rules say to one caller. They are asked for within the reading itself, so that data and rules are of one
 * moment.
 * @see docs/reference/protocol.md#rules
 */
export class Authorizer {
  readonly #ruleCache: RuleCache
  readonly #auth: Visit['auth']
  readonly #onTrace: Access['onTrace']
  readonly #stepOptions: AuthorizerOptions

  constructor(ruleCache: RuleCache, caller: Caller, onTrace: Access['onTrace'], bounds: AuthorizerOptions = {}) {
    this.#ruleCache = ruleCache
    this.#auth = caller.auth
    this.#onTrace = onTrace
    this.#stepOptions = bounds
  }

  /** What the rules say to a read, without being a refusal yet. */
  *decideRead(path: Path, query: Query | undefined): Reads<ReadRuling> {
    const rules = yield* this.#rules()
    const visit: Visit = { auth: this.#auth, now: Date.now(), query: queryFacts(query) }
    const looked: Path[] = []
    const logic = mayRead(rules, path, visit, this.#options)
    let step = logic.next()
    while (!step.done) {
      const request = step.value
      if ('path' in request) looked.push(request.path)
      step = logic.next(yield request)
    }
    return { verdict: step.value, rules, looked }
  }

  /** @throws `permission-denied` */
  *authorizeRead(path: Path, query: Query | undefined): Reads<ReadRuling> {
    const ruling = yield* this.decideRead(path, query)
    this.#check(ruling.verdict)
    return ruling
  }

  /** What is known of the permission of a write before its body is read. */
  *admission(path: Path, reach: Reach): Reads<Admission> {
    const logic = mayWriteSome(yield* this.#rules(), path, reach, { auth: this.#auth, now: Date.now() })
    let hasLooked = false
    let step = logic.next()
    while (!step.done) {
      hasLooked ||= 'path' in step.value
      step = logic.next(yield step.value)
    }
    if (step.value === 'none') return 'refused'
    return step.value === 'some' && hasLooked ? 'guarded' : 'open'
  }

  /** Whether the caller of a write may read a node, so that the answer may tell what is there. @throws JudgingPostponed */
  *mayRead(path: Path): Reads<boolean> {
    if (this.#stepOptions.allowed?.has('read')) return true
    const { verdict } = yield* this.#reportPostponed(this.decideRead(path, undefined))
    return verdict.allowed
  }

  /** As `read`, for a write whose answer is the data. @throws `permission-denied`, JudgingPostponed */
  *authorizeReadForWrite(path: Path): Reads<void> {
    if (this.#stepOptions.allowed?.has('read')) return
    yield* this.#reportPostponed(this.authorizeRead(path, undefined))
    this.#stepOptions.onAllowed?.('read')
  }

  /**
   * @returns to be shown to `validate`
   * @throws `permission-denied` unless each of the places may be written; JudgingPostponed
   */
  *authorizeWrite(writes: readonly Write[], now: number): Reads<WriteAuthorization> {
    if (this.#stepOptions.refusal !== undefined) throw this.#stepOptions.refusal
    const authorization = new WriteAuthorization(yield* this.#rules(), writes, { auth: this.#auth, now }, this.#options)
    if (this.#stepOptions.allowed?.has('write')) return authorization
    this.#check(yield* this.#reportPostponed(authorization.mayWrite()))
    this.#stepOptions.onAllowed?.('write')
    return authorization
  }

  /** @throws `permission-denied` unless what the writes leave behind is valid; JudgingPostponed */
  *validateWrite(authorization: WriteAuthorization): Reads<void> {
    if (this.#stepOptions.allowed?.has('validate')) return
    this.#check(yield* this.#reportPostponed(authorization.isValid()))
    this.#stepOptions.onAllowed?.('validate')
  }

  /** Asks the rules; tells where that is postponed. */
  *#reportPostponed<T>(asking: Reads<T>): Reads<T> {
    try {
      return yield* asking
    } catch (error) {
      if (error instanceof EvaluationPostponed) this.#stepOptions.onPostponed?.()
      throw error
    }
  }

  *#rules(): Reads<RuleSet> {
    return this.#ruleCache.of((yield { kind: 'setting', name: RULES }) as string | undefined)
  }

  get #options(): AuthorizeOptions {
    return { trace: this.#onTrace !== undefined, patience: this.#stepOptions.patience }
  }

  #check({ allowed, trace }: Decision): void {
    this.#onTrace?.(trace)
    if (!allowed) throw new DholeError('permission-denied')
  }
}
