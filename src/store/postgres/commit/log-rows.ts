import type { Change } from '../../../tree/change.ts'
import type { JsonText } from '../../../tree/json/print.ts'
import { formatPath } from '../../../tree/path.ts'
import { dataOf } from '../../rows/change-data.ts'
import type { LogEntry } from '../../rows/change-row.ts'
import type { Commit } from '../../store.ts'

/** The commits of an open batch, and what the log stores of them. */
export class BatchLog {
  readonly #before: number
  readonly #at: number
  readonly #entries: LogEntry[] = []
  readonly commits: Commit[] = []

  /** @param before number of the last commit before the batch @param at time of the batch, in milliseconds since 1970 */
  constructor(before: number, at: number) {
    this.#before = before
    this.#at = at
  }

  /** @param texts stored text of each write's value, where it was printed already */
  append(change: Change, texts: readonly (JsonText | undefined)[]): Commit {
    const data = dataOf(change, texts) ?? null
    this.#entries.push({ kind: change.kind, path: formatPath(change.path), data })
    const commit = { ...change, seq: this.#before + this.#entries.length, at: this.#at }
    this.commits.push(commit)
    return commit
  }

  get lastSeq(): number {
    return this.#before + this.#entries.length
  }

  /** The columns of the row. */
  columns(): { readonly firstSeq: number; readonly heads: string; readonly data: string | null } {
    const firstSeq = this.#before + 1
    const heads = this.#entries.map(({ kind, path, data }) => [kind, path, data === null ? null : data.length])
    const data = this.#entries.map((entry) => entry.data ?? '').join('')
    return { firstSeq, heads: JSON.stringify(heads), data: data === '' ? null : data }
  }
}
