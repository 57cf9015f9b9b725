import { DholeError } from '../../../error.ts'
import type { Query } from '../../../query/query.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'
import type { Path } from '../../../tree/path.ts'
import type { AuthorizeRead } from '../../../tree/read-program.ts'
import type { ReadLimit } from '../../store.ts'
import type { Snapshot } from '../commit/snapshots.ts'
import type { IndexManager } from '../indexes/manager.ts'
import type { UsableAccessPath } from './access-path.ts'
import type { QueryReader } from './query-reader.ts'
import type { ReadScheduler } from './read-scheduler.ts'

/** Maximum builds for one query: a write may replace the list, and so drop its index, after each build. */
const ATTEMPTS = 3
/** Maximum delay of a timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** A requested selection of children. */
interface Selection {
  readonly path: Path
  readonly query: Query
  readonly limit: ReadLimit
  readonly authorize: AuthorizeRead | undefined
}

/** Reads a selection along its access path. */
export type AccessPathReader<T> = (
  reader: QueryReader,
  accessPath: UsableAccessPath,
  snapshot: Snapshot,
) => Generator<void, T>

/** Result of a query that needs an index to be built first. */
class MissingIndex {
  readonly listId: number
  readonly name: string

  constructor(listId: number, name: string) {
    this.listId = listId
    this.name = name
  }
}

/** Reads the selections of queries. Waits for a missing index to be built; sorts in memory where it cannot be built. */
export class Selector {
  readonly #reads: ReadScheduler
  readonly #indexes: IndexManager

  constructor(reads: ReadScheduler, indexes: IndexManager) {
    this.#reads = reads
    this.#indexes = indexes
  }

  select<T>(selection: Selection, use: AccessPathReader<T>): Awaitable<T> {
    const found = this.#try(selection, use)
    if (found instanceof Promise) return found.then((later) => this.#settle(later, selection, use))
    return this.#settle(found, selection, use)
  }

  #settle<T>(found: T | MissingIndex, selection: Selection, use: AccessPathReader<T>): Awaitable<T> {
    return found instanceof MissingIndex ? this.#later(found, selection, use) : found
  }

  #try<T>(selection: Selection, use: AccessPathReader<T>): Awaitable<T | MissingIndex> {
    return this.#reads.run(selection.limit, selection.authorize, (snapshot) => this.#along(snapshot, selection, use))
  }

  /** Builds the missing index and tries again; after `ATTEMPTS` builds it reads without the index. */
  async #later<T>(missing: MissingIndex, selection: Selection, use: AccessPathReader<T>): Promise<T> {
    const deadline = performance.now() + selection.limit.timeoutMs
    const rest = (): Selection => {
      const timeoutMs = Math.max(deadline - performance.now(), 0)
      return { ...selection, limit: { ...selection.limit, timeoutMs } }
    }
    let found: T | MissingIndex = missing
    for (let attempt = 1; found instanceof MissingIndex && attempt <= ATTEMPTS; attempt++) {
      const isBuilt = await within(rest().limit.timeoutMs, this.#indexes.want(found.listId, found.name))
      // Without the index the children are sorted in memory.
      if (!isBuilt) break
      found = await this.#try(rest(), use)
    }
    if (!(found instanceof MissingIndex)) return found
    return this.#reads.run(rest().limit, selection.authorize, (snapshot) => {
      const { queries } = snapshot
      return use(queries, queries.accessPaths.findWithoutIndex(selection), snapshot)
    })
  }

  *#along<T>(snapshot: Snapshot, selection: Selection, use: AccessPathReader<T>): Generator<void, T | MissingIndex> {
    const { queries } = snapshot
    const accessPath = queries.accessPaths.find(selection)
    if (accessPath.kind === 'missing') return new MissingIndex(accessPath.list.id, accessPath.name)
    if ((accessPath.kind === 'index' || accessPath.kind === 'merge') && accessPath.index !== undefined)
      this.#indexes.recordUse(accessPath.index.id)
    return yield* use(queries, accessPath, snapshot)
  }
}

/** Whether a promise resolves. @throws `read-too-big` when it does not settle in time */
async function within(timeoutMs: number, promise: Promise<void>): Promise<boolean> {
  const kept = promise.then(
    () => true,
    () => false,
  )
  if (timeoutMs > LONGEST_TIMER_MS) return kept
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new DholeError('read-too-big')), timeoutMs)
  try {
    return await Promise.race([kept, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
