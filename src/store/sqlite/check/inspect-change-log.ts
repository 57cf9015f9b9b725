import { type ChangeRow, changesOf, firstSeqOf } from '../../rows/change-row.ts'
import type { Connection } from '../file/connection.ts'
import { MAX_REPORTED, type Problem, problem } from './problem.ts'

/** Problems of the change log: gaps between commits, times that go back, rows that cannot be read. */
export function* changeLogProblems({ client }: Connection): Generator<Problem, void> {
  const rows = client.prepare<ChangeRow, []>('SELECT seq, at, kind, path, data FROM change ORDER BY seq')
  let last: { readonly seq: number; readonly at: number } | undefined
  let reported = 0
  for (const row of rows.iterate()) {
    const { seq, at } = row
    for (const check of complaints(row, last)) {
      yield problem(check, { seq, at, after: last })
      if (++reported === MAX_REPORTED) return
    }
    last = { seq, at }
  }
}

function complaints(row: ChangeRow, last: { readonly seq: number; readonly at: number } | undefined): string[] {
  const found: string[] = []
  try {
    if (last !== undefined && firstSeqOf(row) !== last.seq + 1) found.push('the change log has a gap')
    if (last !== undefined && row.at < last.at) found.push('the change log goes back in time')
    for (const { data } of changesOf(row)) if (data !== undefined) JSON.parse(data)
  } catch {
    found.push('an entry of the change log cannot be read')
  }
  return found
}
