import type { Path } from '../../tree/path.ts'
import type { Rule } from '../file/rule-node.ts'

/** Result of evaluating the rules for one request. */
export interface Decision {
  readonly allowed: boolean
  /** One line per evaluated rule; empty unless a trace was requested. */
  readonly trace: readonly string[]
  /** The rule that denied the request, the last one evaluated; `undefined` when it is allowed, or no rule applies. */
  readonly deniedBy?: Rule | undefined
  /** What may change the result while the rules stay in force. */
  readonly dependsOn: {
    /** Whether a rule read `now`. */
    readonly time: boolean
    /** Paths of the tree that rules read. */
    readonly paths: readonly Path[]
  }
}

/**
 * Whether a decision made earlier is still right.
 * @param hasSameRules whether the rules have stayed in force since
 * @param isWritten whether one of the paths may have been written to since
 */
export function isStillValid(
  { dependsOn }: Decision,
  hasSameRules: boolean,
  isWritten: (paths: readonly Path[]) => boolean,
): boolean {
  return hasSameRules && !dependsOn.time && !isWritten(dependsOn.paths)
}
