import { PathIndex } from '../../../hub/path-index.ts'
import type { Change } from '../../../tree/change.ts'
import { covers, type Path } from '../../../tree/path.ts'

/** Number of listens up to which all are looked at: an index of them takes more memory than they do. */
const FEW = 16

/** What is kept of a listen. */
interface Kept<T> {
  readonly path: Path
  readonly name: string
  readonly listen: T
}

/** The listens of one session by their paths. As `PathIndex`, but small while they are few. */
export class ListenIndex<T> {
  #few: Kept<T>[] | undefined = []
  #many: PathIndex<T> | undefined

  add(path: Path, name: string, listen: T): void {
    if (this.#few === undefined) {
      this.#many?.add(path, name, listen)
      return
    }
    this.#few.push({ path, name, listen })
    if (this.#few.length <= FEW) return
    this.#many = new PathIndex()
    for (const kept of this.#few) this.#many.add(kept.path, kept.name, kept.listen)
    this.#few = undefined
  }

  remove(path: Path, name: string): void {
    this.#many?.remove(path, name)
    const at = this.#few?.findIndex((kept) => kept.name === name) ?? -1
    if (at >= 0) this.#few?.splice(at, 1)
  }

  /** The listens that a change of one node, and of what is above or below it, may concern; see `PathIndex.near`. */
  *near(change: Change): Generator<T | undefined> {
    if (this.#few === undefined) yield* this.#many?.near(change) ?? []
    else
      for (const { path, listen } of this.#few) {
        if (covers(path, change.path) || covers(change.path, path)) yield listen
      }
  }
}
