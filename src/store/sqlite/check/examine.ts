import { chmodSync, closeSync, openSync, readSync, statSync } from 'node:fs'
import { syncPath } from '../../../files/sync-path.ts'
import { Client } from '../file/client.ts'
import { type FileAge, fileAge } from '../file/file-version.ts'
import { inspectFile, type Problem } from './inspect.ts'

/** Content and problems of a tree's file. */
export interface FileReport {
  readonly bytes: number
  /** Checksum of the file, in hexadecimal digits. */
  readonly sha256: string
  readonly age: FileAge
  readonly epoch: string | undefined
  /** Number of the last commit. */
  readonly seq: number
  /** Number of rows of each table. */
  readonly rows: readonly (readonly [table: string, rows: number])[]
  /** The first problems. */
  readonly problems: readonly Problem[]
}

const OWNER_ONLY = 0o600
const MAX_PROBLEMS = 10
const PIECE_BYTES = 1024 * 1024

/**
 * Copies one commit of a tree into a new compact file without a log, durable when this returns. Another process may
 * write to the tree meanwhile; its log grows until the copy is complete.
 * @throws when the file does not exist, the target exists, or the disk is full
 * @see docs/how-to/back-up-and-restore.md#backing-up
 */
export function copyTree(file: string, target: string): void {
  const client = new Client(file, { readonly: true })
  try {
    client.run('PRAGMA busy_timeout = 5000')
    client.prepare<unknown, [string]>('VACUUM INTO ?').run(target)
  } finally {
    client.close()
  }
  chmodSync(target, OWNER_ONLY)
  syncPath(target)
}

/** Checks a closed file completely. @throws when it cannot be read at all */
export function examineFile(file: string): FileReport {
  const { bytes, sha256 } = digest(file)
  const problems: Problem[] = []
  for (const found of inspectFile(file)) {
    problems.push(found)
    if (problems.length === MAX_PROBLEMS) break
  }
  if (problems.length > 0) return { bytes, sha256, age: 'none', epoch: undefined, seq: 0, rows: [], problems }
  const client = new Client(file, { readonly: true })
  try {
    const epoch = client.prepare<{ value: string }, []>("SELECT value FROM meta WHERE name = 'epoch'").get()?.value
    const seq = client.prepare<{ seq: number | null }, []>('SELECT max(seq) AS seq FROM change').get()?.seq ?? 0
    return { bytes, sha256, age: fileAge(client), epoch, seq, rows: rowsOf(client), problems }
  } finally {
    client.close()
  }
}

/** Size and SHA-256 of a file. */
export function digest(file: string): { readonly bytes: number; readonly sha256: string } {
  const hasher = new Bun.CryptoHasher('sha256')
  const piece = new Uint8Array(PIECE_BYTES)
  const descriptor = openSync(file, 'r')
  try {
    for (let read = readSync(descriptor, piece); read > 0; read = readSync(descriptor, piece)) {
      hasher.update(piece.subarray(0, read))
    }
  } finally {
    closeSync(descriptor)
  }
  return { bytes: statSync(file).size, sha256: hasher.digest('hex') }
}

function rowsOf(client: Client): FileReport['rows'] {
  const tables = client.prepare<{ name: string }, []>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  )
  return tables.all().map(({ name }) => {
    const quoted = `"${name.replaceAll('"', '""')}"`
    const count = client.prepare<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${quoted}`)
    return [name, count.get()?.rows ?? 0]
  })
}
