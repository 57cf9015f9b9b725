import { DholeError } from '../../../error.ts'
import { isUnbounded, type Query, queryName } from '../../../query/query.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'
import type { NodeText, ReadText } from '../../../tree/json/node-text.ts'
import type { JsonText } from '../../../tree/json/print.ts'
import type { AnyText } from '../../../tree/json/text-pieces.ts'
import { formatPath, type Path } from '../../../tree/path.ts'
import type { Authorization, ReadAnswer, Reads } from '../../../tree/read-program.ts'
import type { LoggedChange, LogRange, Position, ReadAt, ReadLimit } from '../../store.ts'
import { TextCache } from '../../text-cache.ts'
import type { Statements } from '../connection/lane.ts'
import type { OpenReads, ReadParts, StoreReads } from '../store-reads.ts'
import { HeldSnapshots } from './held-snapshots.ts'
import { KnownSlots } from './known-slots.ts'
import { ChangeLogReader } from './log/change-log.ts'
import { ProgramRun } from './program-run.ts'
import { Selections, usedIndex } from './query/selections.ts'
import { type Answer, type Plan, ReadRunner, UNLIMITED } from './read-runner.ts'
import { Reading, type Target } from './reading.ts'
import { ExportReader } from './subtree/export.ts'
import { bytesOf, countOf, nodeText, shallowOf, sizeOf } from './subtree/node-reader.ts'

/** Opens the reads of a tree. */
export const openReads: OpenReads = (parts) => new PostgresReads(parts)

/** Reads nodes and answers queries, from the cache if it has them. See `TreeStore` for each method. */
class PostgresReads implements StoreReads {
  readonly #parts: ReadParts
  readonly #cache: TextCache
  readonly #runner: ReadRunner
  readonly #selections: Selections
  readonly #exports: HeldSnapshots

  constructor(parts: ReadParts) {
    const { lanes, tree, indexes, reach, cacheLength, shortList, waitMs } = parts
    this.#parts = parts
    this.#cache = new TextCache(cacheLength)
    this.#runner = new ReadRunner(lanes, tree, reach, waitMs)
    this.#selections = new Selections(this.#runner, indexes, shortList)
    this.#exports = new HeldSnapshots(lanes)
    tree.onApplied(({ commits }) => {
      for (const { writes } of commits) for (const write of writes) this.#cache.invalidate(write.path)
    })
  }

  node(path: Path, limit: ReadLimit, authorize: Authorization): Awaitable<NodeText | undefined> {
    const name = formatPath(path)
    return this.#fromCache(
      this.#cache.get(name) !== undefined,
      () => this.#cachedNode(name, limit),
      authorize,
      async () => (await this.#runner.run(this.#nodePlan(path, limit, authorize))).value,
    )
  }

  query(path: Path, query: Query, limit: ReadLimit, authorize: Authorization): Awaitable<ReadText | undefined> {
    const name = queryName(query)
    const text = formatPath(path)
    return this.#fromCache(
      this.#cache.getAnswer(text, name) !== undefined,
      () => this.#cachedAnswer(text, name, limit),
      authorize,
      async () => (await this.#answer(path, query, name, limit, authorize)).value,
    )
  }

  async shallow(
    path: Path,
    limit: ReadLimit,
    query: Query | undefined,
    authorize: Authorization,
  ): Promise<AnyText | undefined> {
    const { maxLength } = limit
    const mostBytes = bytesOf(maxLength)
    if (query !== undefined) {
      const selected = await this.#selections.select({ path, query, limit, authorize, mostBytes }, (queries, access) =>
        ready(queries.keys(access, query, maxLength)),
      )
      return selected.value
    }
    const target: Target = { path, mostBytes, isForStrings: true }
    const read = (reading: Reading) => ready(shallowOf(reading, path, maxLength))
    return (await this.#runner.run({ limit, program: authorize, target, read })).value
  }

  async count(path: Path, query: Query | undefined, limit: ReadLimit, authorize: Authorization): Promise<number> {
    // Of a string it only matters that it is one.
    const mostBytes = 0
    if (query === undefined || isUnbounded(query)) {
      // Without bounds neither the order nor an index matters.
      const target: Target = { path, mostBytes, isForStrings: true }
      const read = async (reading: Reading) => {
        const count = countOf(reading, path)
        return () => count
      }
      return (await this.#runner.run({ limit, program: authorize, target, read })).value
    }
    const selected = await this.#selections.select({ path, query, limit, authorize, mostBytes }, (queries, access) =>
      ready(queries.count(access, query)),
    )
    return selected.value
  }

  readAt(path: Path, query: Query | undefined, limit: ReadLimit, authorize: Authorization): Awaitable<ReadAt> {
    const name = query && queryName(query)
    const text = formatPath(path)
    const find = (): ReadAt | undefined => {
      const value = name === undefined ? this.#cachedNode(text, limit) : this.#cachedAnswer(text, name, limit)
      return value && { seq: this.#parts.tree.batch.seq, value }
    }
    const isCached = (name === undefined ? this.#cache.get(text) : this.#cache.getAnswer(text, name)) !== undefined
    return this.#fromCache(isCached, find, authorize, async () => {
      const { value, seq } =
        query === undefined || name === undefined
          ? await this.#runner.run(this.#nodePlan(path, limit, authorize))
          : await this.#answer(path, query, name, limit, authorize)
      return { seq, value }
    })
  }

  async read<T>(logic: () => Reads<T>): Promise<T> {
    const read = async (_: Reading, result: T | undefined) => () => result as T
    return (await this.#runner.run<T, T>({ limit: UNLIMITED, program: logic, isShort: true, read })).value
  }

  async *export(path: Path): AsyncGenerator<JsonText, void> {
    this.#runner.checkOpen()
    const held = await this.#exports.hold()
    try {
      const reading = new Reading(held, this.#parts.tree.tree, UNLIMITED, this.#runner.checkOpen, () => true)
      let isFirst = true
      for await (const piece of new ExportReader(reading).pieces(path)) {
        if (isFirst) await this.#runner.reach(reading.batch)
        isFirst = false
        yield piece
        // Other work gets its turn, however fast the caller takes the pieces.
        await new Promise(setImmediate)
        this.#runner.checkOpen()
      }
    } finally {
      held.release()
    }
  }

  async changesAfter({ epoch, seq }: Position, limit: number): Promise<readonly LoggedChange[] | undefined> {
    return this.#fromLog(epoch, seq, (log) => log.after(seq, limit))
  }

  async changesNear({ epoch, seq }: Position, paths: readonly Path[]): Promise<LogRange | undefined> {
    return this.#fromLog(epoch, seq, (log) => log.near(seq, paths))
  }

  interior(kind: 'node' | 'size', path: Path, statements?: Statements): Promise<ReadAnswer> {
    const read = async (reading: Reading) => {
      if (kind === 'node') return nodeText(reading, path, Number.POSITIVE_INFINITY)
      const size = await sizeOf(reading, path)
      return () => size
    }
    return this.#runner.runNow<ReadAnswer>({ limit: UNLIMITED, target: { path, mostBytes: null }, read }, statements)
  }

  async close(): Promise<void> {
    // Cached texts would be answered for ever, whatever another process writes.
    this.#cache.invalidate([])
    await Promise.all([this.#runner.close(), this.#exports.close()])
  }

  /** Reads the log up to the applied batch. */
  async #fromLog<T>(
    epoch: string,
    seq: number,
    read: (log: ChangeLogReader) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    this.#runner.checkOpen()
    await this.#parts.fresh()
    const { tree } = this.#parts
    const { batch } = tree
    if (epoch !== tree.epoch || seq > batch.seq) return undefined
    return this.#runner.onSnapshot((statements) => read(new ChangeLogReader(statements, tree.tree, batch)))
  }

  #answer(
    path: Path,
    query: Query,
    name: string,
    limit: ReadLimit,
    authorize: Authorization,
  ): Promise<Answer<ReadText | undefined>> {
    const { maxLength } = limit
    const selection = { path, query, limit, authorize, mostBytes: bytesOf(maxLength) }
    return this.#selections.select<ReadText | undefined>(selection, async (queries, access, reading) => {
      const print = await queries.answer(access, query, maxLength)
      return async () => {
        const text = await print()
        const index = usedIndex(access)
        if (text !== undefined) {
          await this.#whenApplied(reading.batch, () => this.#cache.setAnswer(path, name, { text, index }))
        }
        return text
      }
    })
  }

  #nodePlan(path: Path, limit: ReadLimit, authorize: Authorization): Plan<NodeText | undefined> {
    const { maxLength } = limit
    const target: Target = { path, mostBytes: bytesOf(maxLength) }
    const name = formatPath(path)
    const isCached = this.#cache.get(name) !== undefined
    const { tree } = this.#parts
    return {
      limit,
      program: authorize,
      isShort: true,
      // Only the authorisation reads then.
      target: isCached ? undefined : target,
      read: async (reading) => {
        const cached = isCached && reading.batch === tree.batch.batch ? this.#cachedNode(name, limit) : undefined
        if (cached !== undefined) return () => cached
        if (isCached) await reading.walk([], target)
        const print = await nodeText(reading, path, maxLength)
        return async () => {
          const text = await print()
          if (text !== undefined) await this.#whenApplied(reading.batch, () => this.#cache.set(path, text))
          return text
        }
      },
    }
  }

  /** Caches an answer, if its batch is the applied one. */
  async #whenApplied(batch: number, cache: () => void): Promise<void> {
    await this.#runner.reach(batch)
    // A long read may end on a batch that is no longer the last: its text is correct, but must not be cached.
    if (this.#parts.tree.batch.batch === batch) cache()
  }

  #cachedNode(path: string, { maxLength }: ReadLimit): NodeText | undefined {
    const cached = this.#cache.get(path)
    if (cached !== undefined && cached.stored.length > maxLength) throw new DholeError('read-too-big')
    return cached
  }

  #cachedAnswer(path: string, name: string, { maxLength }: ReadLimit): ReadText | undefined {
    const cached = this.#cache.getAnswer(path, name)
    if (cached === undefined) return undefined
    if (cached.text.length > maxLength) throw new DholeError('read-too-big')
    if (cached.index !== undefined) this.#parts.indexes.recordUse(cached.index)
    return cached.text
  }

  /**
   * Answers from the cache, at once if this process knows every batch. A read of the database needs no other look for later
   * batches: its snapshot has them.
   * @param isCached whether there is anything to look for
   * @param find throws when the answer is too long
   */
  #fromCache<T>(
    isCached: boolean,
    find: () => T | undefined,
    authorize: Authorization,
    read: () => Promise<T>,
  ): Awaitable<T> {
    this.#runner.checkOpen()
    if (!isCached) return read()
    const answer = (): Awaitable<T> => {
      const found = this.#isAllowedNow(authorize) ? find() : undefined
      return found === undefined ? read() : found
    }
    const fresh = this.#parts.fresh()
    return fresh instanceof Promise ? fresh.then(answer) : answer()
  }

  /**
   * Whether the caller may have an answer of the applied batch.
   * @returns `false` also when the authorisation reads the tree
   * @throws what the authorisation throws
   */
  #isAllowedNow(authorize: Authorization): boolean {
    const logic = authorize?.()
    if (logic === undefined) return true
    const run = new ProgramRun(() => logic, new KnownSlots(), this.#parts.tree.settings)
    if (run.advance() !== undefined) return false
    void run.result
    return true
  }
}

/** An answer that needs no more work. */
async function ready<T>(answer: Promise<T>): Promise<() => T> {
  const value = await answer
  return () => value
}
