import type { Path } from '../../tree/path.ts'
import { nodeAt, rootNode, type TrieNode } from '../../tree/path-trie.ts'
import type { Write } from '../../tree/write.ts'

/** Most paths one recorder keeps. With more it says that everything has changed. */
const MOST_PATHS = 4096

/** Places of the tree that were read, in a tree of paths. */
export class ReadPlaces {
  readonly #root: TrieNode<true> = rootNode()

  add(path: Path): void {
    nodeAt(this.#root, path).items.set('', true)
  }

  /** Whether a write at a path may change what was read at, above or below it. */
  isTouchedBy(path: Path): boolean {
    let place: TrieNode<true> | undefined = this.#root
    for (const key of path) {
      if (place.items.size > 0) return true
      place = place.children.get(key)
      if (place === undefined) return false
    }
    // A place without children is kept only for what was read there.
    return true
  }
}

/** Notes where writes go from the moment it is made, in the order of the transactions. */
export class WriteRecorder {
  #paths: Path[] | undefined = []

  note(writes: readonly Write[]): void {
    if (this.#paths === undefined) return
    if (this.#paths.length + writes.length > MOST_PATHS) this.noteAll()
    else for (const { path } of writes) this.#paths.push(path)
  }

  /** Everything may have changed. */
  noteAll(): void {
    this.#paths = undefined
  }

  /** Whether something was written that may change what was read. */
  hasTouched(places: ReadPlaces): boolean {
    return this.#paths === undefined || this.#paths.some((path) => places.isTouchedBy(path))
  }
}
