import type { NodeText, ReadText } from '../tree/json/node-text.ts'
import { formatPath, type Path } from '../tree/path.ts'
import { nodeAt, prune, rootNode, type TrieNode } from '../tree/path-trie.ts'

/** The answer of a query, and the index that it used. */
export interface CachedAnswer {
  readonly text: ReadText
  readonly index: number | undefined
}

interface Entry {
  readonly value: NodeText | CachedAnswer
  readonly size: number
  readonly place: TrieNode<Entry>
  /** Whether it was read since `#makeRoom` last considered it. */
  used: boolean
}

/** Cost of an entry beside its text: maps and objects, in UTF-16 code units. */
const ENTRY_OVERHEAD = 200
/** A text longer than the capacity divided by this is not cached. */
const LARGEST_SHARE = 4

/** Separates a path from a query; no key contains it. */
const QUERY_MARK = '\u0000'

/**
 * Texts of nodes and answers of queries that are valid for the last durable commit. When it is full it removes first what
 * was not read again.
 */
export class TextCache {
  readonly #room: number
  readonly #entries = new Map<string, Entry>()
  /** Entries by path, so that a write finds those above, at and below its path and no others. */
  readonly #root = rootNode<Entry>()
  #used = 0

  /** @param room maximum total length of cached text, in UTF-16 code units */
  constructor(room: number) {
    this.#room = room
  }

  get(path: string): NodeText | undefined {
    return this.#find(path) as NodeText | undefined
  }

  /** @param query name of the query, as `queryName` returns it */
  getAnswer(path: string, query: string): CachedAnswer | undefined {
    return this.#find(path + QUERY_MARK + query) as CachedAnswer | undefined
  }

  set(path: Path, text: NodeText): void {
    this.#keep(path, formatPath(path), text, text.keptLength)
  }

  setAnswer(path: Path, query: string, answer: CachedAnswer): void {
    this.#keep(path, formatPath(path) + QUERY_MARK + query, answer, answer.text.keptLength + query.length)
  }

  /** Removes everything that a write at `path` may change: that node and all nodes above and below it. */
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
        // It was read: it gets a second chance at the end of the queue.
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
