import type { JsonText } from '../../tree/json/print.ts'
import { parsePath } from '../../tree/path.ts'
import type { LoggedChange } from '../store.ts'

/** A row of the change log. */
export interface ChangeRow {
  /** Number of the last commit in the row. */
  readonly seq: number
  /** In milliseconds since 1970. */
  readonly at: number
  readonly kind: 'put' | 'patch' | 'group'
  /** Path as text; of a group, JSON text of the heads. */
  readonly path: string
  /** Data of the commits, one after the other; `null` when it was too long to store. */
  readonly data: string | null
}

/** One commit in the log. */
export interface LogEntry {
  readonly kind: 'put' | 'patch'
  /** As text. */
  readonly path: string
  /** `null` when it was too long to store. */
  readonly data: JsonText | null
}

/** Kind, path, and length of the data in UTF-16 code units; `null` where none is stored. */
type Head = readonly [kind: LogEntry['kind'], path: string, length: number | null]

/**
 * The row of consecutive commits. One row for several commits costs much less than a row each: their data fills whole
 * pages, and a page freed as a whole is not written again.
 * @param seq number of the last commit
 */
export function rowOf(entries: readonly [LogEntry, ...LogEntry[]], seq: number, at: number): ChangeRow {
  if (entries.length === 1) return { seq, at, ...entries[0] }
  const heads = entries.map(({ kind, path, data }): Head => [kind, path, data === null ? null : data.length])
  return { seq, at, kind: 'group', path: JSON.stringify(heads), data: entries.map(({ data }) => data ?? '').join('') }
}

/** The commits of a row, oldest first. */
export function changesOf(row: ChangeRow): LoggedChange[] {
  const { seq, at, kind, path, data } = row
  if (kind !== 'group') return [{ seq, at, kind, path: parsePath(path), data: data ?? undefined }]
  const heads = headsOf(row)
  let start = 0
  return heads.map(([kind, path, length], index) => {
    const end = start + (length ?? 0)
    const text = length === null ? undefined : data?.slice(start, end)
    start = end
    return { seq: seq - heads.length + 1 + index, at, kind, path: parsePath(path), data: text }
  })
}

/** Whether the path of any commit in the row equals, contains or lies below one of the given paths. */
export function isRowNear(row: Pick<ChangeRow, 'kind' | 'path'>, paths: readonly string[]): boolean {
  if (row.kind !== 'group') return isNearAny(row.path, paths)
  return headsOf(row).some(([, path]) => isNearAny(path, paths))
}

/** @param paths as text, like `path`; a key has no slash */
export function isNearAny(path: string, paths: readonly string[]): boolean {
  return paths.some((other) => covers(path, other) || covers(other, path))
}

function covers(above: string, path: string): boolean {
  return above === '/' || (path.startsWith(above) && (path.length === above.length || path[above.length] === '/'))
}

/** Number of the first commit of a row. */
export function firstSeqOf(row: Pick<ChangeRow, 'seq' | 'kind' | 'path'>): number {
  return row.kind === 'group' ? row.seq - headsOf(row).length + 1 : row.seq
}

/** The row without the commits before `keepFrom`, which is one of its own. */
export function cutRow(row: ChangeRow, keepFrom: number): ChangeRow {
  const heads = headsOf(row).slice(keepFrom - firstSeqOf(row))
  const length = heads.reduce((sum, [, , each]) => sum + (each ?? 0), 0)
  const [first] = heads
  const data = row.data?.slice(row.data.length - length) ?? ''
  if (heads.length === 1 && first !== undefined) {
    return { ...row, kind: first[0], path: first[1], data: first[2] === null ? null : data }
  }
  return { ...row, path: JSON.stringify(heads), data }
}

function headsOf({ path }: Pick<ChangeRow, 'path'>): readonly Head[] {
  return JSON.parse(path) as readonly Head[]
}
