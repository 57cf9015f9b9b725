import type { Path } from '../../tree/path.ts'
import type { Budget } from './budget.ts'
import type { RequestContext } from './request-context.ts'
import type { TreeView } from './tree-view.ts'

/** What an expression computes with. An object is opaque: what a node with children is, or a part of `auth`. */
export type Plain = null | boolean | number | string | object

/** What one rule is evaluated in. */
export interface EvaluationContext {
  readonly request: RequestContext
  /** Where the request goes, or where in its payload we are: at least as deep as the rule. */
  path: Path
  /** How many of these keys lead to the rule. */
  depth: number
  /** `newData`; absent in `.read`. */
  readonly newTree: TreeView | undefined
  readonly budget: Budget
  /** Place in the expression of what is being computed, for the trace. */
  at: number
  /** Whether something was looked at that may change while the rules stay. */
  hasLooked: boolean
  /** Whether one of these things was the time. */
  hasSeenTime: boolean
}
