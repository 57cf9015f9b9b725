import type { Query } from '../../../query/query.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'
import type { Path } from '../../../tree/path.ts'
import type { AuthorizeRead } from '../../../tree/read-program.ts'
import { afterBuild, MissingIndex } from '../../rows/indexes/missing-index.ts'
import type { ReadLimit } from '../../store.ts'
import type { Snapshot } from '../commit/snapshots.ts'
import type { IndexManager } from '../indexes/manager.ts'
import type { UsableAccessPath } from './access-path.ts'
import type { QueryReader } from './query-reader.ts'
import type { ReadScheduler } from './read-scheduler.ts'

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

  #later<T>(missing: MissingIndex, selection: Selection, use: AccessPathReader<T>): Promise<T> {
    const within = (timeoutMs: number) => ({ ...selection, limit: { ...selection.limit, timeoutMs } })
    return afterBuild<T>(missing, selection.limit.timeoutMs, {
      want: ({ listId, name }) => this.#indexes.want(listId, name),
      attempt: (timeoutMs) => this.#try(within(timeoutMs), use),
      // Without the index the children are sorted in memory.
      without: (timeoutMs) =>
        this.#reads.run(within(timeoutMs).limit, selection.authorize, (snapshot) => {
          const { queries } = snapshot
          return use(queries, queries.accessPaths.findWithoutIndex(selection), snapshot)
        }),
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
