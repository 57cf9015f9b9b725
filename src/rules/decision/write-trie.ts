import type { Path } from '../../tree/path.ts'
import type { Priority } from '../../tree/priority.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { Value } from '../../tree/value.ts'
import type { Write } from '../../tree/write.ts'

/** One node of the writes of a request, arranged by path, so that the writes near a path are found quickly. */
export interface WriteNode {
  readonly children: Map<string, WriteNode>
  /** The write that replaces or deletes this node. No write is below it. */
  replaced: { readonly value: Value | undefined } | undefined
  /** The write of the priority of this node. */
  prioritized: { readonly priority: Priority | undefined } | undefined
  /** Whether this node or a node below is replaced or deleted. */
  isTouched: boolean
  /** Whether this node or a node below gets a value. */
  isFilled: boolean
}

/** Writes added between two pauses. */
const STEP_WRITES = 256

/** @param writes not overlapping */
export function* writeTrie(writes: readonly Write[]): Reads<WriteNode> {
  const root = newPlace()
  for (const [index, write] of writes.entries()) {
    if (index % STEP_WRITES === STEP_WRITES - 1) yield { kind: 'pause' }
    const place = placeOf(root, write)
    if (write.kind === 'value') place.replaced = { value: write.value }
    else place.prioritized = { priority: write.priority }
  }
  return root
}

/** The node of a write. Marks all nodes above it. */
function placeOf(root: WriteNode, write: Write): WriteNode {
  let place = root
  mark(place, write)
  for (const key of write.path) {
    let next = place.children.get(key)
    if (next === undefined) {
      next = newPlace()
      place.children.set(key, next)
    }
    mark(next, write)
    place = next
  }
  return place
}

function mark(place: WriteNode, write: Write): void {
  if (write.kind === 'priority') return
  place.isTouched = true
  if (write.value !== undefined) place.isFilled = true
}

function newPlace(): WriteNode {
  return { children: new Map(), replaced: undefined, prioritized: undefined, isTouched: false, isFilled: false }
}

/** The writes at a path: the value from a write at or above it, or the writes at and below it. */
export type Found =
  | { readonly kind: 'replaced'; readonly value: Value | undefined; readonly rest: Path }
  | { readonly kind: 'place'; readonly place: WriteNode }
  | { readonly kind: 'none' }

/** Finds the writes at a path. `rest` is the path below the replaced node. */
export function findWrites(root: WriteNode, path: Path): Found {
  let place = root
  for (let depth = 0; ; depth++) {
    if (place.replaced !== undefined) return { kind: 'replaced', value: place.replaced.value, rest: path.slice(depth) }
    const key = path[depth]
    if (key === undefined) return { kind: 'place', place }
    const next = place.children.get(key)
    if (next === undefined) return { kind: 'none' }
    place = next
  }
}
