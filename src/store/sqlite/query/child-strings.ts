import type { Path } from '../../../tree/path.ts'
import type { TreeReader } from '../tree/tree-reader.ts'

/** A place in a string that may be stored in chunks. */
export interface StringPlace {
  chunk: number
  /** Offset from the beginning of the chunk, in UTF-16 code units; it may be behind its end. */
  at: number
}

/** Reads parts of the strings that the children of a list are sorted by. */
export class ChildStrings {
  readonly #tree: TreeReader
  readonly #list: number
  readonly #path: Path

  /** @param path child path that the list is sorted by */
  constructor(tree: TreeReader, list: number, path: Path) {
    this.#tree = tree
    this.#list = list
    this.#path = path
  }

  /**
   * A part of the string of a child; shorter than `length` at its end.
   * @param key encoded by `sortKey`
   * @param place where it begins; it is moved to the chunk where it lies
   */
  read(key: string, place: StringPlace, length: number): string {
    let { chunk, at } = place
    let text = ''
    for (let part = this.#part(key, chunk); part !== undefined; part = this.#part(key, chunk)) {
      if (at < part.length) {
        text += part.slice(at, at + length - text.length)
        if (text.length >= length) return text
      } else if (text === '') {
        place.chunk = chunk + 1
        place.at = at - part.length
      }
      at = Math.max(0, at - part.length)
      chunk++
    }
    return text
  }

  #part(key: string, chunk: number): string | undefined {
    const slot = this.#tree.slot(this.#list, key)
    const leaf = slot && this.#tree.leafBelow(slot, this.#path)
    if (typeof leaf === 'object') return this.#tree.subtrees.characters(leaf.text, chunk)
    return typeof leaf === 'string' && chunk === 0 ? leaf : undefined
  }
}
