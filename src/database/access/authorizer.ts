import type { Caller } from '../../auth/caller.ts'
import type { Query } from '../../query/query.ts'
import { mayRead, WriteAuthorization } from '../../rules/decision/authorize.ts'
import type { Decision } from '../../rules/decision/decision.ts'
import { mayWriteSome, type Reach } from '../../rules/decision/may-write-some.ts'
import type { AuthorizeOptions } from '../../rules/decision/rule-evaluator.ts'
import { EvaluationPostponed } from '../../rules/expression/rule-errors.ts'
import type { RuleSet } from '../../rules/file/rule-set.ts'
import type { Path } from '../../tree/path.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { Write } from '../../tree/write.ts'
import type { Access } from './access.ts'
import { Denial } from './denial.ts'
import { queryFacts } from './query-facts.ts'
import type { RuleCache } from './rule-cache.ts'

/** Name of the setting that holds the source of the rules. */
export const RULES = 'rules'
/** Name of the setting that holds the time since which they are in force, in milliseconds since 1970. */
export const RULES_SINCE = 'rulesSince'

const RULES_REQUEST = { kind: 'setting', name: RULES } as const

/**
 * Permission of a write before its body is read. A denial: no payload would be allowed. `guarded`: some payload may be
 * allowed, depending on data of the tree, so errors in the payload must not be reported. `open`: otherwise.
 */
export type Admission = Denial | 'guarded' | 'open'

/** Milliseconds since 1970. */
interface Clock {
  readonly now: number
}

/** A decision that a write needs. */
type AuthorizationStep = 'write' | 'read' | 'validate'

/** Options for decisions, most of them for those of a write. */
export interface AuthorizerOptions {
  /** Time of reads. Default: that of this process. */
  readonly clock?: Clock | undefined
  /** Bounds the evaluation in a transaction, see `Budget`; beyond it `EvaluationPostponed` is thrown. */
  readonly patience?: number | undefined
  /** Called before `EvaluationPostponed` is thrown. */
  readonly onPostponed?: (() => void) | undefined
  /** Steps that are known to be allowed: their rules are not evaluated again. */
  readonly allowed?: ReadonlySet<AuthorizationStep> | undefined
  /** The known error of a refused write: it is thrown, and no rule is evaluated. */
  readonly refusal?: unknown
  /** Called with each step that is allowed. */
  readonly onAllowed?: ((step: AuthorizationStep) => void) | undefined
}

/**
 * Evaluates the rules for one caller. It runs as part of the read or the write, so that data and rules are of the same
 * commit.
 * @see docs/reference/protocol.md#rules
 */
export class Authorizer {
  readonly #ruleCache: Pick<RuleCache, 'of'>
  readonly #auth: Caller['auth']
  readonly #onTrace: Access['onTrace']
  readonly #options: AuthorizerOptions

  /** @param ruleCache finds the rules of a stored source */
  constructor(
    ruleCache: Pick<RuleCache, 'of'>,
    caller: Caller,
    onTrace: Access['onTrace'],
    options: AuthorizerOptions = {},
  ) {
    this.#ruleCache = ruleCache
    this.#auth = caller.auth
    this.#onTrace = onTrace
    this.#options = options
  }

  get #now(): number {
    return this.#options.clock?.now ?? Date.now()
  }

  /** Decides a read. A denial is a result, not an error. */
  *decideRead(path: Path, query: Query | undefined): Reads<Decision> {
    const request = { auth: this.#auth, now: this.#now, query: queryFacts(query) }
    return yield* mayRead(yield* this.#rules(), path, request, this.#evaluation)
  }

  /** @throws `permission-denied` */
  *authorizeRead(path: Path, query: Query | undefined): Reads<Decision> {
    const decision = yield* this.decideRead(path, query)
    this.#check(decision)
    return decision
  }

  /** The permission of a write before its body is read. */
  *admission(path: Path, reach: Reach): Reads<Admission> {
    const request = { auth: this.#auth, now: this.#now }
    const { chance, hasReadTree, last } = yield* mayWriteSome(yield* this.#rules(), path, reach, request)
    if (chance === 'none') return new Denial(last)
    return chance === 'some' && hasReadTree ? 'guarded' : 'open'
  }

  /** Whether the caller of a write may read a node, so that its error may report what exists. @throws EvaluationPostponed */
  *mayRead(path: Path): Reads<boolean> {
    if (this.#options.allowed?.has('read')) return true
    return (yield* this.#reportPostponed(this.decideRead(path, undefined))).allowed
  }

  /** As `authorizeRead`, for a write that returns data. @throws `permission-denied`, EvaluationPostponed */
  *authorizeReadForWrite(path: Path): Reads<void> {
    if (this.#options.allowed?.has('read')) return
    yield* this.#reportPostponed(this.authorizeRead(path, undefined))
    this.#options.onAllowed?.('read')
  }

  /**
   * @returns the argument of `validateWrite`
   * @throws `permission-denied` unless every path may be written; EvaluationPostponed
   */
  *authorizeWrite(writes: readonly Write[], now: number): Reads<WriteAuthorization> {
    if (this.#options.refusal !== undefined) throw this.#options.refusal
    const request = { auth: this.#auth, now }
    const rules = this.#ruleCache.of((yield RULES_REQUEST) as string | undefined)
    const authorization = new WriteAuthorization(rules, writes, request, this.#evaluation)
    if (this.#options.allowed?.has('write')) return authorization
    // Most writes need no more, so they need no more generators.
    if (!authorization.isOpen) this.#check(yield* this.#reportPostponed(authorization.mayWrite()))
    this.#options.onAllowed?.('write')
    return authorization
  }

  /** @throws `permission-denied` unless the data after the writes is valid; EvaluationPostponed */
  *validateWrite(authorization: WriteAuthorization): Reads<void> {
    if (this.#options.allowed?.has('validate')) return
    if (!authorization.isAlwaysValid) this.#check(yield* this.#reportPostponed(authorization.isValid()))
    this.#options.onAllowed?.('validate')
  }

  *#reportPostponed<T>(evaluation: Reads<T>): Reads<T> {
    try {
      return yield* evaluation
    } catch (error) {
      if (error instanceof EvaluationPostponed) this.#options.onPostponed?.()
      throw error
    }
  }

  *#rules(): Reads<RuleSet> {
    return this.#ruleCache.of((yield RULES_REQUEST) as string | undefined)
  }

  get #evaluation(): AuthorizeOptions {
    return { trace: this.#onTrace !== undefined, patience: this.#options.patience }
  }

  #check({ allowed, trace, deniedBy }: Decision): void {
    this.#onTrace?.(trace)
    if (!allowed) throw new Denial(deniedBy)
  }
}
