import { Authorizer } from '../../database/access/authorizer.ts'
import { queryFacts } from '../../database/access/query-facts.ts'
import type { RuleCache } from '../../database/access/rule-cache.ts'
import { AppendOperation } from '../../database/writes/append-operation.ts'
import { SetOperation } from '../../database/writes/set-operation.ts'
import { DholeError } from '../../error.ts'
import { makeQuery, type Query } from '../../query/query.ts'
import { mayRead } from '../../rules/decision/authorize.ts'
import { defaultLimits } from '../../tree/limits.ts'
import { endsInPriority, type Path, parsePath } from '../../tree/path.ts'
import { PushIds } from '../../tree/push-id.ts'
import type { Reads } from '../../tree/read-program.ts'
import { planPatch, planPut, type WritePlan } from '../../tree/write.ts'
import { within } from '../terminal/within.ts'
import type { Attempt } from './attempt.ts'
import { type OfflineTree, runOffline } from './offline-tree.ts'

/** Decision of the rules, with one line per evaluated rule. */
export interface Ruling {
  readonly allowed: boolean
  readonly trace: readonly string[]
}

/** Rules, tree and time for an attempt. */
export interface RuleSetting {
  /** The rules in force are those it falls back on. */
  readonly ruleCache: RuleCache
  readonly tree: OfflineTree
  /** Default time of the attempt, in milliseconds since 1970. */
  readonly now: number
}

/**
 * The decision of the server for a request with a valid credential, made by the code of the server.
 * @throws Error `<member>: <reason>` for a request that is invalid for any rules
 */
export function decideAttempt(setting: RuleSetting, attempt: Attempt): Ruling {
  const path = within('path', () => parsePath(attempt.path))
  if (attempt.operation !== 'read') return within('data', () => decideWrite(setting, attempt, path))
  const { query } = attempt
  // Firebase accepts more queries; rules see the same facts of a query in both dialects.
  const checked = query && within('query', () => makeQuery(query, 'firebase'))
  return decideRead(setting, attempt, path, checked)
}

function decideRead(
  { ruleCache, tree, now }: RuleSetting,
  attempt: Attempt,
  path: Path,
  query: Query | undefined,
): Ruling {
  const request = { auth: attempt.auth, now: attempt.now ?? now, query: queryFacts(query) }
  return runOffline(tree, mayRead(ruleCache.of(undefined), path, request, { trace: true }))
}

function decideWrite({ ruleCache, tree, now }: RuleSetting, attempt: Attempt, path: Path): Ruling {
  const trace: string[] = []
  const authorizer = new Authorizer(ruleCache, { kind: 'user', auth: attempt.auth }, (lines) => trace.push(...lines))
  try {
    runOffline(tree, job(attempt, path, authorizer, attempt.now ?? now))
    return { allowed: true, trace: trace.length > 0 ? trace : ['nothing is written: no rule is asked'] }
  } catch (thrown) {
    if (!(thrown instanceof DholeError) || thrown.code !== 'permission-denied') throw thrown
    return { allowed: false, trace }
  }
}

/** @throws as `planPut` and `planPatch` */
function* job({ operation, data }: Attempt, path: Path, authorizer: Authorizer, now: number): Reads<unknown> {
  const name = new PushIds().next(now)
  const context = { now, nextPushId: () => name }
  // The time limit does not depend on rules.
  const options = { maxSeconds: Number.POSITIVE_INFINITY }
  const isAppended = operation === 'post'
  if (endsInPriority(path) && (isAppended || operation === 'patch')) throw new DholeError('priority-method')
  if (isAppended) {
    const plan = planPut([...path, name], data, defaultLimits)
    return yield* new AppendOperation(path, plan, options, defaultLimits).decide(context, authorizer)
  }
  const plan = planOf(operation, path, data)
  if (plan.writes.length === 0) return undefined
  return yield* new SetOperation('PUT', plan, options, defaultLimits).decide(context, authorizer)
}

function planOf(operation: Attempt['operation'], path: Path, data: unknown): WritePlan {
  // A patch of `null` is a delete.
  if (operation === 'delete' || data === null) return planPut(path, null, defaultLimits)
  return operation === 'patch' ? planPatch(path, data, defaultLimits) : planPut(path, data, defaultLimits)
}
