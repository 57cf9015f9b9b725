import type { NodeText, ReadText } from '../../../tree/json/node-text.ts'
import { formatPath, type Path } from '../../../tree/path.ts'
import { nodeAt, prune, rootNode, type TrieNode } from '../../../tree/path-trie.ts'

/** What a query chose, and the index that led to it. */
export interface CachedAnswer {
  readonly text: ReadText
  readonly index: number | undefined
}

interface Entry {
  readonly value: NodeText | CachedAnswer
  readonly size: number
  readonly place: TrieNode<Entry>
  /** Whether it was asked for since it last came up for removal. */
  used: boolean
}

/** An entry's cost beside its text: map, place and object, in the unit of text length. */
const ENTRY_OVERHEAD = 200
/** No single text takes more than this share of the room. */
const LARGEST_SHARE = 4

/** Stands between a path and a query; no key holds it. */
const QUERY_MARK = '\u0000'

/**
 * Finished text of nodes and queries read before, for as long as the durable tree holds the same. Bounded; what was not
 * asked for again goes first.
 */
export class TextCache {
  readonly #room: number
  readonly #entries = new Map<string, Entry>()
  /** Texts and answers by their place, so that a write finds those above, at and below it and no others. */
  readonly #root = rootNode<Entry>()
  #used = 0

  /** @param room total length of text kept, in UTF-16 code units */
  constructor(room: number) {
    this.#room = room
  }

  get(path: string): NodeText | undefined {
    return this.#find(path) as NodeText | undefined
  }

  /** @param query name of the query, equal for equal ones */
  getAnswer(path: string, query: string): CachedAnswer | undefined {
    return this.#find(path + QUERY_MARK + query) as CachedAnswer | undefined
  }

  set(path: Path, text: NodeText): void {
    this.#keep(path, formatPath(path), text, text.keptLength)
  }

  setAnswer(path: Path, query: string, answer: CachedAnswer): void {
    this.#keep(path, formatPath(path) + QUERY_MARK + query, answer, answer.text.keptLength + query.length)
  }

  /** Forgets what a write at `path` may have changed: that node, all above and all below it. */
  invalidate(path: Path): void {
    let place: TrieNode<Entry> | undefined = this.#root
    for (const key of path) {
      this.#forgetAt(place)
      const next: TrieNode<Entry> | undefined = place.children.get(key)
      if (next === undefined) {
        prune(place)
        return
      }
      place = next
    }
    this.#forgetBelow(place)
    prune(place)
  }

  #find(name: string): NodeText | CachedAnswer | undefined {
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    entry.used = true
    return entry.value
  }

  #keep(path: Path, name: string, value: NodeText | CachedAnswer, length: number): void {
    const size = length + ENTRY_OVERHEAD
    if (size > this.#room / LARGEST_SHARE) return
    this.#forget(name)
    const place = nodeAt(this.#root, path)
    const entry = { value, size, place, used: false }
    place.items.set(name, entry)
    this.#entries.set(name, entry)
    this.#used += size
    this.#makeRoom()
  }

  #forgetAt(place: TrieNode<Entry>): void {
    for (const name of place.items.keys()) this.#forget(name)
  }

  #forgetBelow(place: TrieNode<Entry>): void {
    this.#forgetAt(place)
    for (const child of place.children.values()) this.#forgetBelow(child)
    place.children.clear()
  }

  #forget(name: string): void {
    const entry = this.#entries.get(name)
    if (entry === undefined) return
    this.#entries.delete(name)
    this.#used -= entry.size
    entry.place.items.delete(name)
  }

  #makeRoom(): void {
    for (const [name, entry] of this.#entries) {
      if (this.#used <= this.#room) return
      if (entry.used) {
        // A second chance, at the back of the queue.
        entry.used = false
        this.#entries.delete(name)
        this.#entries.set(name, entry)
        continue
      }
      this.#forget(name)
      prune(entry.place)
    }
  }
}
