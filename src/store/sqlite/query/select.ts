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

/** A list may be replaced by another one, without its index, each time one has been built. */
const ATTEMPTS = 3
/** Timers do not reach further. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Which children are wanted. */
interface Selection {
  readonly path: Path
  readonly query: Query
  readonly limit: ReadLimit
  readonly authorize: AuthorizeRead | undefined
}

/** What is read along a way that has been found. */
export type AccessPathReader<T> = (
  reader: QueryReader,
  accessPath: UsableAccessPath,
  snapshot: Snapshot,
) => Generator<void, T>

/** Instead of an answer: what must be built first. */
class MissingIndex {
  readonly listId: number
  readonly name: string

  constructor(listId: number, name: string) {
    this.listId = listId
    this.name = name
  }
}

/** ReadScheduler what queries choose. Where an index is missing it waits for it, and where it cannot be had it does without. */
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

  /** Builds what is missing and tries again; in the end goes without. */
  async #later<T>(missing: MissingIndex, selection: Selection, use: AccessPathReader<T>): Promise<T> {
    const deadline = performance.now() + selection.limit.timeoutMs
    const rest = (): Selection => {
      const timeoutMs = Math.max(deadline - performance.now(), 0)
      return { ...selection, limit: { ...selection.limit, timeoutMs } }
    }
    let found: T | MissingIndex = missing
    for (let attempt = 1; found instanceof MissingIndex && attempt <= ATTEMPTS; attempt++) {
      const isThere = await within(rest().limit.timeoutMs, this.#indexes.want(found.listId, found.name))
      // A store that cannot write can still sort.
      if (!isThere) break
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

/** Whether a promise is kept. @throws `read-too-big` when nothing is known of it in time */
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
