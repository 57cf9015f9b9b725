import { PRIORITY } from '../../tree/key.ts'
import type { Path } from '../../tree/path.ts'
import type { Priority } from '../../tree/priority.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { Leaf } from '../../tree/value.ts'
import type { Budget } from './budget.ts'

/** What a snapshot can be asked about a tree at one moment. The budget is charged for every read. */
export interface TreeView {
  /** The leaf there; `undefined` for a node with children and for none. */
  leaf(path: Path, budget: Budget): Reads<Leaf | undefined>
  exists(path: Path, budget: Budget): Reads<boolean>
  hasChildren(path: Path, budget: Budget): Reads<boolean>
  priority(path: Path, budget: Budget): Reads<Priority | undefined>
}

/** The tree as it is: every question is one read. */
export const CURRENT_TREE: TreeView = {
  *leaf(path, budget) {
    budget.read()
    return (yield { kind: 'leaf', path }) as Leaf | undefined
  },
  *exists(path, budget) {
    budget.read()
    return (yield { kind: 'exists', path }) === true
  },
  *hasChildren(path, budget) {
    return (yield* countChildren(path, budget)) > 0
  },
  *priority(path, budget) {
    budget.read()
    return (yield { kind: 'leaf', path: [...path, PRIORITY] }) as Priority | undefined
  },
}

/** Number of children a node has now. */
export function* countChildren(path: Path, budget: Budget): Reads<number> {
  budget.read()
  return (yield { kind: 'count', path }) as number
}
