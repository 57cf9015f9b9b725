import type { Path } from '../../tree/path.ts'
import { nodeAt, rootNode, type TrieNode } from '../../tree/path-trie.ts'
import type { Write } from '../../tree/write.ts'

/** Maximum paths of one recorder. With more, every path counts as written. */
const MAX_PATHS = 4096

/** Paths of the tree that were read, as a trie. */
export class ReadPaths {
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
    // The trie has a place only where something was read at or below it.
    return true
  }
}

/** Records the paths of all writes since it was made, in the order of the transactions. */
export class WriteRecorder {
  /** `undefined` if every path counts as written. */
  #paths: Path[] | undefined = []

  record(writes: readonly Write[]): void {
    if (this.#paths === undefined) return
    if (this.#paths.length + writes.length > MAX_PATHS) this.recordAll()
    else for (const { path } of writes) this.#paths.push(path)
  }

  /** Counts every path as written. */
  recordAll(): void {
    this.#paths = undefined
  }

  /** Whether a write may have changed what was read. */
  hasTouched(readPaths: ReadPaths): boolean {
    return this.#paths === undefined || this.#paths.some((path) => readPaths.isTouchedBy(path))
  }
}
