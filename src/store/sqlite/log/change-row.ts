import type { JsonText } from '../../../tree/json/print.ts'
import { parsePath } from '../../../tree/path.ts'
import type { LoggedChange } from '../../store.ts'
import type { change } from '../file/schema.ts'

/** A row of the change log as it stands in the table. */
export type ChangeRow = typeof change.$inferSelect

/** One commit as the log keeps it. */
export interface LogEntry {
  readonly kind: 'put' | 'patch'
  /** As text. */
  readonly path: string
  /** `null` when it was too long to keep. */
  readonly data: JsonText | null
}

/** Kind, path, and length of the data in UTF-16 code units; `null` where none is kept. */
type Head = readonly [kind: LogEntry['kind'], path: string, length: number | null]

/**
 * The row of commits that follow each other. Several in one row cost much less than a row each: their data fills whole
 * pages, and a page that is freed with them need not be written once more.
 * @param seq number of the last of them
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

/** Whether a commit of a row concerns one of some places: its path is one of them, above or below one. */
export function isRowNear(row: Pick<ChangeRow, 'kind' | 'path'>, places: readonly string[]): boolean {
  if (row.kind !== 'group') return isNearAny(row.path, places)
  return headsOf(row).some(([, path]) => isNearAny(path, places))
}

/** @param places paths as text, like the path; keys hold no slash */
export function isNearAny(path: string, places: readonly string[]): boolean {
  return places.some((place) => covers(path, place) || covers(place, path))
}

function covers(above: string, path: string): boolean {
  return above === '/' || (path.startsWith(above) && (path.length === above.length || path[above.length] === '/'))
}

/** Number of the first commit of a row. */
export function firstSeqOf(row: Pick<ChangeRow, 'seq' | 'kind' | 'path'>): number {
  return row.kind === 'group' ? row.seq - headsOf(row).length + 1 : row.seq
}

/** The row without the commits before one of its own. */
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
