import { DholeError } from '../../../error.ts'
import { isUnbounded, type Query, queryName } from '../../../query/query.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'
import type { NodeText, ReadText } from '../../../tree/json/node-text.ts'
import type { AnyText } from '../../../tree/json/text-pieces.ts'
import { formatPath, type Path } from '../../../tree/path.ts'
import type { AuthorizeRead } from '../../../tree/read-program.ts'
import type { ReadAt, ReadLimit } from '../../store.ts'
import type { TextCache } from '../../text-cache.ts'
import type { Snapshot, Snapshots } from '../commit/snapshots.ts'
import type { IndexManager } from '../indexes/manager.ts'
import { type ReadScheduler, UNLIMITED } from './read-scheduler.ts'
import { type AccessPathReader, Selector } from './select.ts'

/** Reads nodes and answers queries, from the cache if it has them. See `TreeStore` for each method. */
export class CachedReads {
  readonly #cache: TextCache
  readonly #snapshots: Snapshots
  readonly #reads: ReadScheduler
  readonly #indexes: IndexManager
  readonly #selector: Selector
  readonly #current: () => Snapshot

  constructor(
    cache: TextCache,
    snapshots: Snapshots,
    reads: ReadScheduler,
    indexes: IndexManager,
    current: () => Snapshot,
  ) {
    this.#current = current
    this.#cache = cache
    this.#snapshots = snapshots
    this.#reads = reads
    this.#indexes = indexes
    this.#selector = new Selector(reads, indexes)
  }

  node(path: Path, limit: ReadLimit, authorize?: AuthorizeRead): Awaitable<NodeText | undefined> {
    const cached = this.#cached(path, limit, authorize)
    if (cached !== undefined) return cached
    return this.#reads.run(limit, authorize, (snapshot) => this.#readNode(snapshot, path, limit))
  }

  query(path: Path, query: Query, limit: ReadLimit, authorize?: AuthorizeRead): Awaitable<ReadText | undefined> {
    const name = queryName(query)
    const cached = this.#cachedAnswer(path, name, limit, authorize)
    return cached ?? this.#selector.select({ path, query, limit, authorize }, this.#answering(path, query, name, limit))
  }

  shallow(path: Path, limit: ReadLimit, query?: Query, authorize?: AuthorizeRead): Awaitable<AnyText | undefined> {
    if (query === undefined)
      return this.#reads.run(limit, authorize, (snapshot) => snapshot.tree.shallow(path, limit.maxLength))
    return this.#selector.select({ path, query, limit, authorize }, (reader, accessPath) =>
      reader.keys(accessPath, query, limit.maxLength),
    )
  }

  count(path: Path, query?: Query, limit: ReadLimit = UNLIMITED, authorize?: AuthorizeRead): Awaitable<number> {
    // Without bounds neither the order nor an index matters.
    if (query === undefined || isUnbounded(query)) {
      // biome-ignore lint/correctness/useYield: one read is enough
      return this.#reads.run(limit, authorize, function* ({ tree }) {
        return tree.count(path)
      })
    }
    return this.#selector.select({ path, query, limit, authorize }, (reader, accessPath) =>
      reader.count(accessPath, query),
    )
  }

  readAt(path: Path, query: Query | undefined, limit: ReadLimit, authorize?: AuthorizeRead): Awaitable<ReadAt> {
    const name = query && queryName(query)
    const value =
      name === undefined ? this.#cached(path, limit, authorize) : this.#cachedAnswer(path, name, limit, authorize)
    if (value !== undefined) return { seq: this.#current().seq, value }
    if (query === undefined || name === undefined) {
      const read = this.#readNode.bind(this)
      return this.#reads.run(limit, authorize, function* (snapshot): Generator<void, ReadAt> {
        return { seq: snapshot.seq, value: yield* read(snapshot, path, limit) }
      })
    }
    const answer = this.#answering(path, query, name, limit)
    return this.#selector.select({ path, query, limit, authorize }, function* (reader, accessPath, snapshot): Generator<
      void,
      ReadAt
    > {
      return { seq: snapshot.seq, value: yield* answer(reader, accessPath, snapshot) }
    })
  }

  #answering(path: Path, query: Query, name: string, { maxLength }: ReadLimit): AccessPathReader<ReadText | undefined> {
    const cache = this.#cache
    const isCurrent = (snapshot: Snapshot) => snapshot.seq === this.#snapshots.current?.seq
    return function* (reader, accessPath, snapshot): Generator<void, ReadText | undefined> {
      const text = yield* reader.answer(accessPath, query, maxLength)
      const index = accessPath.kind === 'index' || accessPath.kind === 'merge' ? accessPath.index?.id : undefined
      if (text !== undefined && isCurrent(snapshot)) cache.setAnswer(path, name, { text, index })
      return text
    }
  }

  #cachedAnswer(path: Path, name: string, { maxLength }: ReadLimit, authorize?: AuthorizeRead): ReadText | undefined {
    const cached = this.#cache.getAnswer(formatPath(path), name)
    if (cached === undefined || !this.#isAllowedNow(authorize)) return undefined
    if (cached.text.length > maxLength) throw new DholeError('read-too-big')
    if (cached.index !== undefined) this.#indexes.recordUse(cached.index)
    return cached.text
  }

  #cached(path: Path, { maxLength }: ReadLimit, authorize?: AuthorizeRead): NodeText | undefined {
    const cached = this.#cache.get(formatPath(path))
    if (cached === undefined || !this.#isAllowedNow(authorize)) return undefined
    if (cached.stored.length > maxLength) throw new DholeError('read-too-big')
    return cached
  }

  /**
   * Whether the caller may have a cached answer of the current commit.
   * @returns `false` also when the authorisation takes more than one turn
   * @throws what the authorisation throws
   */
  #isAllowedNow(authorize: AuthorizeRead | undefined): boolean {
    const logic = authorize?.()
    return logic === undefined || this.#reads.endsInOneTurn(logic)
  }

  *#readNode(snapshot: Snapshot, path: Path, limit: ReadLimit): Generator<void, NodeText | undefined> {
    const text = yield* snapshot.tree.node(path, limit.maxLength)
    // A long read may end on a commit that is no longer the last: its text is correct, but must not be cached.
    if (text !== undefined && snapshot.seq === this.#snapshots.current?.seq) this.#cache.set(path, text)
    return text
  }
}
