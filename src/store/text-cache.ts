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
  /** Whether it was read since `#makeRoom` last looked at it. */
  used: boolean
}

/** Cost of an entry beside its text: maps and objects, in UTF-16 code units. */
const ENTRY_OVERHEAD = 200
/** A text longer than the capacity divided by this is not cached. */
const LARGEST_SHARE = 4

/** Most writes or entries that are looked at to invalidate some of them; beyond it more is forgotten than need be. */
const MOST_INVALIDATED = 2048
/** Most entries that are looked at to make room for another one. */
const MOST_LOOKED = 1024

/** Separates a path from a query; no key contains it. */
const QUERY_MARK = '\u0000'

/**
 * Texts of nodes and answers of queries that are valid for the last durable commit. When it is full it removes first what
 * was not read again.
 */
export class TextCache {
  readonly #room: number
  #entries = new Map<string, Entry>()
  /** Goes round the entries. */
  #hand = this.#entries.entries()
  /** Entries by path, so that a write finds those above, at and below its path and no others. */
  #root = rootNode<Entry>()
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

  /** Removes everything that the writes of a change may change. @param above node at or above all of them */
  invalidateAll(above: Path, writes: readonly { readonly path: Path }[]): void {
    if (writes.length > MOST_INVALIDATED) this.invalidate(above)
    else for (const { path } of writes) this.invalidate(path)
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
    if (!this.#makeRoom(size)) return
    const place = nodeAt(this.#root, path)
    const entry = { value, size, place, used: false }
    place.items.set(name, entry)
    this.#entries.set(name, entry)
    this.#used += size
  }

  #forgetAt(place: TrieNode<Entry>): void {
    if (place.items.size > MOST_INVALIDATED) this.#forgetAll()
    else for (const name of place.items.keys()) this.#forget(name)
  }

  /** Without the places, which the caller prunes. */
  #forgetBelow(place: TrieNode<Entry>): void {
    let count = 0
    for (const below of placesFrom(place)) {
      if (++count > MOST_INVALIDATED) {
        this.#forgetAll()
        return
      }
      this.#forgetAt(below)
    }
    place.children.clear()
  }

  /** Takes no time, however much there is. What was forgotten needlessly is read again. */
  #forgetAll(): void {
    this.#entries = new Map()
    this.#root = rootNode()
    this.#hand = this.#entries.entries()
    this.#used = 0
  }

  #forget(name: string): void {
    const entry = this.#entries.get(name)
    if (entry === undefined) return
    this.#entries.delete(name)
    this.#used -= entry.size
    entry.place.items.delete(name)
  }

  /**
   * Removes entries that were not read again since the hand passed them last.
   * @returns whether there is room for a text now; if not, other entries may be removed next time
   */
  #makeRoom(size: number): boolean {
    for (let looked = 0; this.#used + size > this.#room; looked++) {
      if (looked === MOST_LOOKED) return false
      const next = this.#hand.next()
      if (next.done) {
        this.#hand = this.#entries.entries()
        continue
      }
      const [name, entry] = next.value
      if (entry.used) entry.used = false
      else {
        this.#forget(name)
        prune(entry.place)
      }
    }
    return true
  }
}

/** A place and all places below it. */
function* placesFrom<T>(place: TrieNode<T>): Generator<TrieNode<T>> {
  yield place
  for (const child of place.children.values()) yield* placesFrom(child)
}
