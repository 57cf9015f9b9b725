import type { Path } from './path.ts'

/** A node on the way to things that are kept by path, so that what is above, at and below a path is found and no more. */
export interface Place<T> {
  readonly key: string
  readonly parent: Place<T> | undefined
  readonly children: Map<string, Place<T>>
  /** What is kept of this node, by name. */
  readonly items: Map<string, T>
}

export function rootPlace<T>(): Place<T> {
  return newPlace('', undefined)
}

/** The place at a path, made where it is missing. */
export function placeAt<T>(root: Place<T>, path: Path): Place<T> {
  let place = root
  for (const key of path) {
    let next = place.children.get(key)
    if (next === undefined) {
      next = newPlace(key, place)
      place.children.set(key, next)
    }
    place = next
  }
  return place
}

/** Removes a place that holds nothing, and what that leaves empty above it. */
export function prune<T>(place: Place<T>): void {
  let empty = place
  while (empty.parent !== undefined && empty.items.size === 0 && empty.children.size === 0) {
    empty.parent.children.delete(empty.key)
    empty = empty.parent
  }
}

function newPlace<T>(key: string, parent: Place<T> | undefined): Place<T> {
  return { key, parent, children: new Map(), items: new Map() }
}
