import { type ChangeRow, firstSeqOf, type LogEntry, rowOf } from '../../rows/change-row.ts'
import type { CopiedRow } from '../../rows/copy/tables.ts'

/** Maximum entries of one row of a file. */
const GROUP_ENTRIES = 64

type Head = readonly [kind: LogEntry['kind'], path: string, length: number | null]

/** A row of the table `change` as it is copied. @param row its columns */
export function copiedChange(row: CopiedRow): CopiedRow {
  const [seq, at, kind, path, data] = row as readonly [number, number, ChangeRow['kind'], string, string | null]
  const heads = kind === 'group' ? path : JSON.stringify([[kind, path, data === null ? null : data.length]])
  return [seq, firstSeqOf({ seq, kind, path }), at, heads, data === '' ? null : data]
}

/** The rows of the table `change` for one that is copied. */
export function* changesOfCopied(row: CopiedRow): Generator<ChangeRow, void> {
  const [, first, at, heads, data] = row as readonly [number, number, number, string, string | null]
  const entries: LogEntry[] = []
  let seq = first - 1
  let start = 0
  for (const [kind, path, length] of JSON.parse(heads) as readonly Head[]) {
    const end = start + (length ?? 0)
    entries.push({ kind, path, data: length === null ? null : (data ?? '').slice(start, end) })
    start = end
    seq++
    if (entries.length === GROUP_ENTRIES) yield* flushed(entries.splice(0), seq, at)
  }
  yield* flushed(entries, seq, at)
}

function* flushed([first, ...others]: readonly LogEntry[], seq: number, at: number): Generator<ChangeRow, void> {
  if (first !== undefined) yield rowOf([first, ...others], seq, at)
}
