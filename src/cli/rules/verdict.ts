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

/** What the rules say, and a line for each that was looked at. */
export interface Ruling {
  readonly allowed: boolean
  readonly trace: readonly string[]
}

/** What an attempt meets. */
export interface Scene {
  /** The rules in force are those it falls back on. */
  readonly ruleCache: RuleCache
  readonly tree: OfflineTree
  /** In milliseconds since 1970, unless the attempt says otherwise. */
  readonly now: number
}

/**
 * What the server would say to a request whose credential is good: the code that decides is the server's own.
 * @throws Error `<member>: <why>` for what no server takes, whatever its rules are
 */
export function judgeAttempt(scene: Scene, attempt: Attempt): Ruling {
  const path = within('path', () => parsePath(attempt.path))
  if (attempt.operation !== 'read') return within('data', () => judgeWrite(scene, attempt, path))
  const { query } = attempt
  // The family that takes more: what rules see of a query is the same for both.
  const checked = query && within('query', () => makeQuery(query, 'firebase'))
  return judgeRead(scene, attempt, path, checked)
}

function judgeRead({ ruleCache, tree, now }: Scene, attempt: Attempt, path: Path, query: Query | undefined): Ruling {
  const request = { auth: attempt.auth, now: attempt.now ?? now, query: queryFacts(query) }
  return runOffline(tree, mayRead(ruleCache.of(undefined), path, request, { trace: true }))
}

function judgeWrite({ ruleCache, tree, now }: Scene, attempt: Attempt, path: Path): Ruling {
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
  // How long it may take is no question of rules.
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
