import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { makeFolder } from '../../../files/folders.ts'
import { writePrivately } from '../../../files/private-file.ts'
import { syncPath } from '../../../files/sync-path.ts'
import { Client } from './client.ts'
import { TreeLock } from './tree-lock.ts'

/** A file that replaces the file of a tree. */
export interface Replacement {
  /** In the same folder, closed and durable; it is renamed. */
  readonly staged: string
  /** New name of the old file; `undefined` deletes it. */
  readonly kept: string | undefined
}

const intentSchema = Type.Object({ staged: Type.String(), kept: Type.Union([Type.String(), Type.Null()]) })

type Intent = Static<typeof intentSchema>

/** Suffixes of files that SQLite would apply to the next file of the same name. */
const LOGS = ['-wal', '-journal']

/**
 * Replaces the file of a closed tree. The new tree gets a new epoch and generates keys greater than all keys of both.
 * Once the intent is durable the replacement is decided: the next process that opens the tree completes it. Before that
 * the old file stays unchanged.
 * @throws Error when a process has the tree open or a file cannot be written: the old file stays
 */
export function replaceFile(file: string, { staged, kept }: Replacement): void {
  makeFolder(dirname(file))
  using _lock = new TreeLock(file)
  completeReplacement(file)
  renew(staged, Math.max(fold(file), Date.now()))
  const intent: Intent = { staged: basename(staged), kept: kept === undefined ? null : basename(kept) }
  writePrivately(intentFile(file), `${JSON.stringify(intent)}\n`)
  completeReplacement(file)
}

/**
 * Completes an interrupted replacement, if there is one. The caller must hold the lock of the file.
 * @throws Error when both the new and the old file are missing
 */
export function completeReplacement(file: string): void {
  if (!existsSync(intentFile(file))) return
  const folder = dirname(file)
  const { staged, kept } = readIntent(file)
  const incoming = join(folder, staged)
  if (existsSync(incoming)) {
    // The log of the old file would destroy the new one.
    if (kept !== null) for (const suffix of LOGS) moveIfThere(file + suffix, join(folder, kept) + suffix)
    else for (const suffix of LOGS) rmSync(file + suffix, { force: true })
    rmSync(`${file}-shm`, { force: true })
    if (kept !== null) moveIfThere(file, join(folder, kept))
    syncPath(folder)
    renameSync(incoming, file)
    syncPath(folder)
  } else if (!existsSync(file)) {
    throw new Error(`${incoming} was to become ${file}, and neither is there`)
  }
  rmSync(intentFile(file))
  syncPath(folder)
}

/** The file that records a replacement. */
export function intentFile(file: string): string {
  return `${file}-restore`
}

function readIntent(file: string): Intent {
  const path = intentFile(file)
  let intent: unknown
  try {
    intent = JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new Error(`${path} cannot be read`, { cause })
  }
  if (!Value.Check(intentSchema, intent)) throw new Error(`${path} does not say what is to be restored`)
  return intent
}

/** Moves the log of a file into it. @returns the greatest time of its generated keys; 0 if it is unknown */
function fold(file: string): number {
  if (!existsSync(file)) return 0
  try {
    const client = new Client(file, { create: false, readwrite: true })
    try {
      client.run('PRAGMA wal_checkpoint(TRUNCATE)')
      const row = client.prepare<{ value: string }, []>("SELECT value FROM meta WHERE name = 'push_time'").get()
      return Number(row?.value ?? 0)
    } finally {
      client.close()
    }
  } catch {
    // A damaged file may be the reason for the replacement: its log is moved or deleted with it.
    return 0
  }
}

function renew(file: string, leastPushTime: number): void {
  const client = new Client(file, { create: false, readwrite: true })
  try {
    client.run('PRAGMA journal_mode = DELETE')
    client.run('PRAGMA synchronous = FULL')
    const put = client.prepare<unknown, [string, string]>('INSERT OR REPLACE INTO meta(name, value) VALUES (?, ?)')
    const read = client.prepare<{ value: string }, []>("SELECT value FROM meta WHERE name = 'push_time'")
    client.transaction(() => {
      const issued = Number(read.get()?.value ?? 0)
      put.run('epoch', crypto.randomUUID())
      put.run('push_time', String(Math.max(issued, leastPushTime)))
    })()
  } finally {
    client.close()
  }
}

function moveIfThere(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to)
}
