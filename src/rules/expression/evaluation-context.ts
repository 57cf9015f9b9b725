import { PRIORITY } from '../../tree/key.ts'
import type { Path } from '../../tree/path.ts'
import type { Priority } from '../../tree/priority.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { Leaf } from '../../tree/value.ts'
import type { Budget } from './budget.ts'
import type { RequestContext } from './request-context.ts'

/** A value of an expression. An object is opaque: the value of a node with children, or a part of `auth`. */
export type Plain = null | boolean | number | string | object

/** State of the evaluation of one rule. */
export interface EvaluationContext {
  readonly request: RequestContext
  /** Path of the request, or of the current node of its payload; at least as deep as the rule. */
  path: Path
  /** Number of its keys that lead to the rule. */
  depth: number
  /** `newData`; `undefined` in `.read`. */
  readonly newTree: TreeView | undefined
  readonly budget: Budget
  /** Position in the expression, for the trace. */
  at: number
  /** Whether the rule has read `now`. */
  usesTime: boolean
  /** Paths of the current tree that have been read, also by earlier rules of the request. */
  readonly paths: Path[]
}

/** Answers questions of snapshots about one state of the tree. Each read is charged and recorded in the context. */
export interface TreeView {
  /** The leaf at a path; `undefined` for a node with children and for no node. */
  leaf(path: Path, context: EvaluationContext): Reads<Leaf | undefined>
  exists(path: Path, context: EvaluationContext): Reads<boolean>
  hasChildren(path: Path, context: EvaluationContext): Reads<boolean>
  priority(path: Path, context: EvaluationContext): Reads<Priority | undefined>
}

/** The tree before the request. Every question is one read. */
export const CURRENT_TREE: TreeView = {
  *leaf(path, context) {
    return (yield { kind: 'leaf', path: charged(path, context) }) as Leaf | undefined
  },
  *exists(path, context) {
    return (yield { kind: 'exists', path: charged(path, context) }) === true
  },
  *hasChildren(path, context) {
    return (yield* countChildren(path, context)) > 0
  },
  *priority(path, context) {
    return (yield { kind: 'leaf', path: charged([...path, PRIORITY], context) }) as Priority | undefined
  },
}

/** Number of children that a node has before the request. */
export function* countChildren(path: Path, context: EvaluationContext): Reads<number> {
  return (yield { kind: 'count', path: charged(path, context) }) as number
}

function charged(path: Path, { budget, paths }: EvaluationContext): Path {
  budget.read()
  paths.push(path)
  return path
}
