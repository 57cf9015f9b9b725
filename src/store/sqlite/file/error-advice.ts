import { SQLiteError } from 'bun:sqlite'

/** Advice for error codes of SQLite. */
const ADVICE: readonly (readonly [code: RegExp, advice: string])[] = [
  [/^SQLITE_NOTADB/, 'it is no database: move it away, or restore it from a backup'],
  [/^SQLITE_CORRUPT/, 'it is damaged: restore it from a backup'],
  [/^SQLITE_(CANTOPEN|PERM|READONLY|AUTH)/, 'the user of this process needs to read and write it and its folder'],
  [/^SQLITE_FULL/, 'the disk is full: make room'],
  [/^SQLITE_IOERR/, 'the disk cannot be read or written'],
]

/** The reason why a file cannot be opened, in one line. */
export function describeOpenError(error: unknown): string {
  // Drizzle wraps what SQLite says, and adds the statement.
  if (error instanceof Error && error.cause instanceof SQLiteError) return describeOpenError(error.cause)
  const code = error instanceof SQLiteError ? (error.code ?? '') : ''
  const advice = ADVICE.find(([known]) => known.test(code))?.[1]
  return advice ?? (error instanceof Error ? error.message : String(error))
}
