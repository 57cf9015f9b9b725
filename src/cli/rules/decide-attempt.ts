import type { RuleCache } from '../../database/access/rule-cache.ts'
import { decided, type Ruling } from '../../database/writes/attempt.ts'
import { defaultLimits } from '../../tree/limits.ts'
import { within } from '../terminal/within.ts'
import type { Attempt } from './attempt.ts'
import { type OfflineTree, runOffline } from './offline-tree.ts'

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
export function decideAttempt({ ruleCache, tree, now }: RuleSetting, attempt: Attempt): Ruling {
  const setting = { rules: ruleCache.of(undefined), limits: defaultLimits, now: attempt.now ?? now }
  return runOffline(tree, decided(setting, attempt, within))
}
