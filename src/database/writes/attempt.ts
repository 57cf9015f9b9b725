import { DholeError } from '../../error.ts'
import { makeQuery, type Query, type QuerySpec } from '../../query/query.ts'
import { mayRead } from '../../rules/decision/authorize.ts'
import type { RuleSet } from '../../rules/file/rule-set.ts'
import type { Steps } from '../../scheduling/steps.ts'
import type { Limits } from '../../tree/limits.ts'
import { endsInPriority, type Path, parsePath } from '../../tree/path.ts'
import { PushIds } from '../../tree/push-id.ts'
import type { Reads } from '../../tree/read-program.ts'
import { planPatchInSteps, planPut, planPutInSteps, planShortPut, type WritePlan } from '../../tree/write.ts'
import { Authorizer } from '../access/authorizer.ts'
import { queryFacts } from '../access/query-facts.ts'
import { AppendOperation } from './append-operation.ts'
import { SetOperation } from './set-operation.ts'

/** A request with a valid credential whose decision is asked for. */
export interface Attempt {
  /** What rules see as `auth`. */
  readonly auth: Readonly<Record<string, unknown>> | null
  readonly path: string
  readonly operation: 'read' | 'put' | 'patch' | 'post' | 'delete'
  /** Payload of a put, patch or post. */
  readonly data?: unknown
  /** Query of a read. */
  readonly query?: QuerySpec
}

/** Decision of the rules, with one line per evaluated rule. */
export interface Ruling {
  readonly allowed: boolean
  readonly trace: readonly string[]
}

/** What an attempt is judged by. */
export interface AttemptSetting {
  readonly rules: RuleSet
  readonly limits: Limits
  /** Time of the attempt, in milliseconds since 1970. */
  readonly now: number
}

/** Part of an attempt that an error is about. */
export type AttemptPart = 'path' | 'query' | 'data'

/**
 * The decision about an attempt, made by the code that decides requests. Writes nothing.
 * @param within runs work on a part of the attempt, and may name the part in its errors
 * @throws DholeError for a request that is invalid for any rules
 */
export function* decided(
  { rules, limits, now }: AttemptSetting,
  attempt: Attempt,
  within: <T>(part: AttemptPart, work: () => T) => T = (_, work) => work(),
): Reads<Ruling> {
  const path = within('path', () => parsePath(attempt.path))
  const { operation, query } = attempt
  if (operation === 'read') {
    // Firebase accepts more queries; rules see the same facts of a query in both dialects.
    const checked: Query | undefined = query && within('query', () => makeQuery(query, 'firebase'))
    const request = { auth: attempt.auth, now, query: queryFacts(checked) }
    return yield* mayRead(rules, path, request, { trace: true })
  }
  const trace: string[] = []
  const caller = { kind: 'user', auth: attempt.auth } as const
  const authorizer = new Authorizer({ of: () => rules }, caller, (lines) => trace.push(...lines))
  try {
    yield* write(attempt, path, authorizer, { limits, now })
    return { allowed: true, trace: trace.length > 0 ? trace : ['nothing is written: no rule is asked'] }
  } catch (thrown) {
    if (thrown instanceof DholeError && thrown.code === 'permission-denied') return { allowed: false, trace }
    return within('data', () => {
      throw thrown
    })
  }
}

/** @throws as `planPut` and `planPatch` */
function* write(
  { operation, data }: Attempt,
  path: Path,
  authorizer: Authorizer,
  { limits, now }: Pick<AttemptSetting, 'limits' | 'now'>,
): Reads<unknown> {
  const name = new PushIds().next(now)
  const context = { now, nextPushId: () => name }
  // The time limit does not depend on rules.
  const options = { maxSeconds: Number.POSITIVE_INFINITY }
  const isAppended = operation === 'post'
  if (endsInPriority(path) && (isAppended || operation === 'patch')) throw new DholeError('priority-method')
  if (isAppended) {
    const plan = yield* inReads(putOf([...path, name], data, limits))
    return yield* new AppendOperation(path, plan, options, limits).decide(context, authorizer)
  }
  const plan = yield* inReads(planOf(operation, path, data, limits))
  if (plan.writes.length === 0) return undefined
  return yield* new SetOperation('PUT', plan, options, limits).decide(context, authorizer)
}

function* planOf(operation: Attempt['operation'], path: Path, data: unknown, limits: Limits): Steps<WritePlan> {
  // A patch of `null` is a delete.
  if (operation === 'delete' || data === null) return planPut(path, null, limits)
  return yield* operation === 'patch' ? planPatchInSteps(path, data, limits) : putOf(path, data, limits)
}

function* putOf(path: Path, data: unknown, limits: Limits): Steps<WritePlan> {
  return planShortPut(path, data, limits) ?? (yield* planPutInSteps(path, data, limits))
}

/** Steps as a program that reads nothing. */
function* inReads<T>(steps: Steps<T>): Reads<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    yield { kind: 'pause' }
  }
}
