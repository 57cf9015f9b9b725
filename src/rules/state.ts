import { PRIORITY } from '../tree/key.ts'
import type { Path } from '../tree/path.ts'
import type { Priority } from '../tree/priority.ts'
import type { Reads } from '../tree/read-request.ts'
import type { Leaf } from '../tree/value.ts'

/** What a snapshot can be asked about a tree at one moment. */
export interface State {
  /** The leaf there; `undefined` for a node with children and for none. */
  leaf(path: Path): Reads<Leaf | undefined>
  exists(path: Path): Reads<boolean>
  hasChildren(path: Path): Reads<boolean>
  priority(path: Path): Reads<Priority | undefined>
}

/** The tree as it is: every question is one read. */
export const BEFORE: State = {
  *leaf(path) {
    return (yield { kind: 'leaf', path }) as Leaf | undefined
  },
  *exists(path) {
    return (yield { kind: 'exists', path }) === true
  },
  *hasChildren(path) {
    return (yield* countBefore(path)) > 0
  },
  *priority(path) {
    return (yield { kind: 'leaf', path: [...path, PRIORITY] }) as Priority | undefined
  },
}

/** Number of children a node has now. */
export function* countBefore(path: Path): Reads<number> {
  return (yield { kind: 'count', path }) as number
}
