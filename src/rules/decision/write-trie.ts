import type { Path } from '../../tree/path.ts'
import type { Priority } from '../../tree/priority.ts'
import type { Reads } from '../../tree/read-program.ts'
import type { Value } from '../../tree/value.ts'
import type { Write } from '../../tree/write.ts'

/** The writes of one request by place: what is above, at and below a path is found without looking at all of them. */
export interface WritePlace {
  readonly children: Map<string, WritePlace>
  /** The write that replaces this node, or deletes it; there is none below it then. */
  replaced: { readonly value: Value | undefined } | undefined
  /** The write of this node's priority. */
  prioritized: { readonly priority: Priority | undefined } | undefined
  /** Whether this node or one below is replaced, not only given a priority. */
  isTouched: boolean
  /** Whether this node or one below is given a value. */
  isFilled: boolean
}

/** Writes looked at between two pauses. */
const STEP_WRITES = 256

/** @param writes not overlapping */
export function* writeTree(writes: readonly Write[]): Reads<WritePlace> {
  const root = newPlace()
  for (const [index, write] of writes.entries()) {
    if (index % STEP_WRITES === STEP_WRITES - 1) yield { kind: 'pause' }
    const place = placeOf(root, write)
    if (write.kind === 'value') place.replaced = { value: write.value }
    else place.prioritized = { priority: write.priority }
  }
  return root
}

/** The place that a write is about, marked with what the write means for all above. */
function placeOf(root: WritePlace, write: Write): WritePlace {
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

function mark(place: WritePlace, write: Write): void {
  if (write.kind === 'priority') return
  place.isTouched = true
  if (write.value !== undefined) place.isFilled = true
}

function newPlace(): WritePlace {
  return { children: new Map(), replaced: undefined, prioritized: undefined, isTouched: false, isFilled: false }
}

/** What the writes say of a path: the value it gets from a write at or above it, or the writes at and below it. */
export type Found =
  | { readonly kind: 'replaced'; readonly value: Value | undefined; readonly rest: Path }
  | { readonly kind: 'place'; readonly place: WritePlace }
  | { readonly kind: 'none' }

/** Looks a path up among the writes. `rest` is what remains of it below the node that is replaced. */
export function findWrites(root: WritePlace, path: Path): Found {
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
