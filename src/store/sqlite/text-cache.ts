import type { NodeText } from '../../tree/node-text.ts'
import { formatPath, type Path } from '../../tree/path.ts'

interface Entry {
  readonly text: NodeText
  readonly size: number
  readonly place: PlaceInTree
  /** Whether it was asked for since it last came up for removal. */
  used: boolean
}

/** Cached nodes by their place, so that a write finds those above, at and below it and no others. */
interface PlaceInTree {
  readonly key: string
  readonly parent: PlaceInTree | undefined
  readonly children: Map<string, PlaceInTree>
  /** `formatPath` of the place, if its text is cached. */
  path: string | undefined
}

/** An entry's cost beside its text: map, place and object, in the unit of text length. */
const ENTRY_OVERHEAD = 200
/** No single text takes more than this share of the room. */
const LARGEST_SHARE = 4

/**
 * Finished text of nodes read before, for as long as the durable tree holds the same. Bounded; what was not asked for
 * again goes first.
 */
export class TextCache {
  readonly #room: number
  readonly #entries = new Map<string, Entry>()
  readonly #root: PlaceInTree = newPlace('', undefined)
  #used = 0

  /** @param room total length of text kept, in UTF-16 code units */
  constructor(room: number) {
    this.#room = room
  }

  get(path: string): NodeText | undefined {
    const entry = this.#entries.get(path)
    if (entry === undefined) return undefined
    entry.used = true
    return entry.text
  }

  set(path: Path, text: NodeText): void {
    const size = text.stored.length + ENTRY_OVERHEAD
    if (size > this.#room / LARGEST_SHARE) return
    const place = this.#placeOf(path)
    if (place.path !== undefined) this.#forget(place.path)
    place.path = formatPath(path)
    this.#entries.set(place.path, { text, size, place, used: false })
    this.#used += size
    this.#makeRoom()
  }

  /** Forgets what a write at `path` may have changed: that node, all above and all below it. */
  invalidate(path: Path): void {
    let place: PlaceInTree | undefined = this.#root
    for (const key of path) {
      if (place.path !== undefined) this.#forget(place.path)
      const next: PlaceInTree | undefined = place.children.get(key)
      if (next === undefined) {
        prune(place)
        return
      }
      place = next
    }
    this.#forgetBelow(place)
    prune(place)
  }

  #placeOf(path: Path): PlaceInTree {
    let place = this.#root
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

  #forgetBelow(place: PlaceInTree): void {
    if (place.path !== undefined) this.#forget(place.path)
    for (const child of place.children.values()) this.#forgetBelow(child)
    place.children.clear()
  }

  #forget(path: string): void {
    const entry = this.#entries.get(path)
    if (entry === undefined) return
    this.#entries.delete(path)
    this.#used -= entry.size
    entry.place.path = undefined
  }

  #makeRoom(): void {
    for (const [path, entry] of this.#entries) {
      if (this.#used <= this.#room) return
      if (entry.used) {
        // A second chance, at the back of the queue.
        entry.used = false
        this.#entries.delete(path)
        this.#entries.set(path, entry)
        continue
      }
      this.#forget(path)
      prune(entry.place)
    }
  }
}

function newPlace(key: string, parent: PlaceInTree | undefined): PlaceInTree {
  return { key, parent, children: new Map(), path: undefined }
}

/** Removes a place that holds nothing, and what that leaves empty above it. */
function prune(place: PlaceInTree): void {
  let empty: PlaceInTree = place
  while (empty.parent !== undefined && empty.path === undefined && empty.children.size === 0) {
    empty.parent.children.delete(empty.key)
    empty = empty.parent
  }
}
