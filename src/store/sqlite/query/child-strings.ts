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
   */
  read(key: string, place: StringPlace, length: number): string {
    const at = { ...place }
    let text = ''
    while (text.length < length) {
      const rest = this.restOfChunk(key, at)
      if (rest === '') break
      text += rest.slice(0, length - text.length)
      at.at += rest.length
    }
    return text
  }

  /**
   * What follows a place in its chunk; empty at the end of the string.
   * @param place moved to the chunk where it lies
   */
  restOfChunk(key: string, place: StringPlace): string {
    for (;;) {
      const part = this.#part(key, place.chunk)
      if (part === undefined) return ''
      if (place.at < part.length) return place.at === 0 ? part : part.slice(place.at)
      place.at -= part.length
      place.chunk++
    }
  }

  #part(key: string, chunk: number): string | undefined {
    const slot = this.#tree.slot(this.#list, key)
    const leaf = slot && this.#tree.leafBelow(slot, this.#path)
    if (typeof leaf === 'object') return this.#tree.subtrees.characters(leaf.text, chunk)
    return typeof leaf === 'string' && chunk === 0 ? leaf : undefined
  }
}
