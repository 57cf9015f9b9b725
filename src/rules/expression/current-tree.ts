import { PRIORITY } from '../../tree/key.ts'
import type { Path } from '../../tree/path.ts'
import type { Priority } from '../../tree/priority.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { Leaf } from '../../tree/value.ts'
import type { EvaluationContext, TreeView } from './evaluation-context.ts'

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
