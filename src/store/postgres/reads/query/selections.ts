import type { Awaitable } from '../../../../scheduling/awaitable.ts'
import { formatPath } from '../../../../tree/path.ts'
import type { Authorization } from '../../../../tree/read-program.ts'
import { indexNameOf } from '../../../rows/indexes/index-name.ts'
import { afterBuild, MissingIndex } from '../../../rows/indexes/missing-index.ts'
import type { ReadLimit } from '../../../store.ts'
import type { IndexManager } from '../../indexes/manager.ts'
import type { Answer, ReadRunner } from '../read-runner.ts'
import type { Reading } from '../reading.ts'
import { type AccessPath, findAccess, type ListAccessPath, type Selection, withoutIndex } from './access-path.ts'
import { LastUsed } from './last-used.ts'
import { QueryReader } from './query-reader.ts'
import { RangeScanner } from './range-scanner.ts'

/** Lists whose access paths are remembered. */
const MOST_REMEMBERED = 1024

/** A selection with the bounds of its read. */
export interface BoundSelection extends Selection {
  readonly limit: ReadLimit
  readonly authorize: Authorization
  /** Longest string that is read where the list is a leaf, in bytes; `null` for any. */
  readonly mostBytes: number | null
}

/** Reads a selection along its access path. */
export type UseAccess<T> = (queries: QueryReader, access: AccessPath, reading: Reading) => Promise<() => Awaitable<T>>

/** Reads the selections of queries. Waits for a missing index to be built; sorts in memory where it cannot be built. */
export class Selections {
  readonly #runner: ReadRunner
  readonly #indexes: IndexManager
  readonly #shortList: number
  /** The access paths that were found last, by path and name of the index. */
  readonly #last = new LastUsed<ListAccessPath>(MOST_REMEMBERED)

  /** @param shortList longest list that is sorted in memory, in children */
  constructor(runner: ReadRunner, indexes: IndexManager, shortList: number) {
    this.#runner = runner
    this.#indexes = indexes
    this.#shortList = shortList
  }

  async select<T>(selection: BoundSelection, use: UseAccess<T>): Promise<Answer<T>> {
    const { limit } = selection
    const attempt = (isIndexNeeded: boolean) => async (timeoutMs: number) => {
      const answer = await this.#run({ ...selection, limit: { ...limit, timeoutMs } }, use, isIndexNeeded)
      const { value } = answer
      return value instanceof MissingIndex ? value : { ...answer, value }
    }
    const found = await attempt(true)(limit.timeoutMs)
    if (!(found instanceof MissingIndex)) return found
    return afterBuild<Answer<T>>(found, limit.timeoutMs, {
      want: ({ listId, name }) => this.#indexes.want(listId, name),
      attempt: attempt(true),
      // It needs none.
      without: attempt(false) as (timeoutMs: number) => Promise<Answer<T>>,
    })
  }

  #run<T>(selection: BoundSelection, use: UseAccess<T>, isIndexNeeded: boolean): Promise<Answer<T | MissingIndex>> {
    const { path, query, limit, authorize, mostBytes } = selection
    const name = indexNameOf(query.orderBy)
    const place = `${name} ${formatPath(path)}`
    const last = this.#last.get(place)
    return this.#runner.run<T | MissingIndex, unknown>({
      limit,
      program: authorize,
      target: { path, mostBytes, isForStrings: true, index: name },
      guess: (reading) => {
        if (last !== undefined)
          reading.guess((first) => use(new QueryReader(first, new RangeScanner(first)), last, first))
      },
      read: async (reading) => {
        const scanner = new RangeScanner(reading)
        const found = await findAccess(reading, scanner, selection, this.#shortList)
        if (found.kind === 'missing' && isIndexNeeded) {
          const missing = new MissingIndex(found.list.id, found.name)
          return () => missing
        }
        const access = found.kind === 'missing' ? withoutIndex(found) : found
        const index = usedIndex(access)
        if (index !== undefined) this.#indexes.recordUse(index)
        if (index !== undefined || access.kind === 'keys') this.#last.set(place, access as ListAccessPath)
        else this.#last.delete(place)
        return use(new QueryReader(reading, scanner), access, reading)
      },
    })
  }
}

/** Id of the index that an access path uses. */
export function usedIndex(access: AccessPath): number | undefined {
  return access.kind === 'index' || access.kind === 'merge' ? access.index?.id : undefined
}
