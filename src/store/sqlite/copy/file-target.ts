import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { makeFolder } from '../../../files/folders.ts'
import { syncPath } from '../../../files/sync-path.ts'
import { parseStored } from '../../../tree/json/print.ts'
import type { Value } from '../../../tree/value.ts'
import { headOf, longString } from '../../rows/chunked-text.ts'
import type { CopyTarget, TargetState } from '../../rows/copy/copy-ends.ts'
import type { CopiedRow, CopiedTable, TreeNumbers } from '../../rows/copy/tables.ts'
import { Trait } from '../../rows/slot.ts'
import { inspectFile } from '../check/inspect.ts'
import { formatProblems } from '../check/problem.ts'
import { Client } from '../file/client.ts'
import type { Connection } from '../file/connection.ts'
import { bringUpToDate } from '../file/migrations.ts'
import { arrivingFile } from '../file/open.ts'
import { completeReplacement } from '../file/replace.ts'
import { TreeLock } from '../file/tree-lock.ts'
import { writeMeta } from '../log/meta.ts'
import { copyIn, movedIn, writeCopy } from '../log/moved.ts'
import { defaultStorage } from '../sqlite-options.ts'
import { longestString } from '../tree/branch-writer.ts'
import { RowWriter } from '../tree/row-writer.ts'
import { changesOfCopied } from './change-rows.ts'
import { SETTING_PREFIX } from './file-source.ts'

const OWNER_ONLY = 0o600
const MAX_PROBLEMS = 10
const LONGEST_STRING = longestString(defaultStorage)

/** Columns that a copied row does not have, with their values. */
const FILLED: Readonly<Record<string, string>> = {
  index_definition:
    "id, list_id, path, covering, used_at, built_to, has_cut, entries) VALUES (?, ?, ?, ?, ?, '', 0, 0)",
  note: 'at, key, text, seq) VALUES (?, ?, ?, (SELECT coalesce(max(seq), 0) + 1 FROM note))',
}
const COUNTS: Readonly<Record<string, string>> = {
  interior: `interior WHERE NOT traits & ${Trait.chunks}`,
  closure: `closure WHERE descendant NOT IN (SELECT id FROM interior WHERE traits & ${Trait.chunks})`,
  setting: `meta WHERE name GLOB '${SETTING_PREFIX}*'`,
}
/** Commits of the log, however they are grouped. */
const COMMITS = "SELECT coalesce(sum(iif(kind = 'group', json_array_length(path), 1)), 0) AS rows FROM change"

type Statement = ReturnType<Client['prepare']>

/**
 * A file that becomes the file of a tree. No process opens a tree of that name meanwhile. To be disposed: that lets others open
 * it.
 */
export class FileTarget implements CopyTarget, Disposable {
  readonly #file: string
  readonly #arriving: string
  readonly #lock: TreeLock
  readonly state: TargetState
  #writing: Writing | undefined

  /** @throws Error that names the file when another process has it open */
  constructor(file: string) {
    makeFolder(dirname(file))
    this.#file = file
    this.#arriving = arrivingFile(file)
    this.#lock = new TreeLock(file)
    try {
      completeReplacement(file)
      this.state = this.#look()
    } catch (error) {
      this.#lock[Symbol.dispose]()
      throw error
    }
  }

  async begin(copy: string, epoch: string, numbers: TreeNumbers): Promise<void> {
    this.#remove()
    if (this.state.kind === 'moved') removeMoved(this.#file)
    this.#writing = new Writing(this.#arriving, copy, epoch, numbers)
  }

  async write(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
    this.#open.write(table, rows)
    // The reader of the next page, and signals, get their turn.
    await new Promise(setImmediate)
  }

  async complete(): Promise<void> {
    this.#open.close()
    this.#writing = undefined
    syncPath(this.#arriving)
    syncPath(dirname(this.#file))
  }

  async count({ name }: CopiedTable): Promise<number> {
    const client = new Client(this.#arriving, { readonly: true })
    try {
      const text = name === 'log' ? COMMITS : `SELECT count(*) AS rows FROM ${COUNTS[name] ?? name}`
      return client.prepare<{ rows: number }, []>(text).get()?.rows ?? 0
    } finally {
      client.close()
    }
  }

  async problems(): Promise<readonly string[]> {
    const found: string[] = []
    for (const problem of inspectFile(this.#arriving)) {
      found.push(formatProblems([problem]))
      if (found.length === MAX_PROBLEMS) break
    }
    return found
  }

  async activate(): Promise<void> {
    renameSync(this.#arriving, this.#file)
    syncPath(dirname(this.#file))
    this.#lock.noteFile()
  }

  async discard(): Promise<void> {
    this.#writing?.close()
    this.#writing = undefined
    this.#remove()
  }

  [Symbol.dispose](): void {
    this.#writing?.close()
    this.#lock[Symbol.dispose]()
  }

  get #open(): Writing {
    if (this.#writing === undefined) throw new Error('the copy has not begun')
    return this.#writing
  }

  #look(): TargetState {
    if (existsSync(this.#file)) {
      const moved = movedIn(this.#file)
      return moved === undefined ? { kind: 'there', copy: copyIn(this.#file) } : { kind: 'moved', ...moved }
    }
    return existsSync(this.#arriving) ? { kind: 'arriving', copy: copyIn(this.#arriving) } : { kind: 'free' }
  }

  #remove(): void {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(this.#arriving + suffix, { force: true })
  }
}

/** Removes the file of a tree that was moved. Its log goes first, which may have the mark: so it is moved into the file before. */
function removeMoved(file: string): void {
  const client = new Client(file, { create: false, readwrite: true })
  try {
    client.run('PRAGMA synchronous = FULL')
    client.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    client.close()
  }
  for (const suffix of ['-wal', '-shm', '']) rmSync(file + suffix, { force: true })
  syncPath(dirname(file))
}

/** Writes the rows of a new file. Nothing of it is durable before it is synced: a broken file is written again. */
class Writing {
  readonly #connection: Connection
  readonly #rows: RowWriter
  readonly #statements = new Map<string, Statement>()
  #nextId: number

  constructor(file: string, copy: string, epoch: string, { pushTime, nextId }: TreeNumbers) {
    const client = new Client(file, { create: true, readwrite: true })
    client.run('PRAGMA journal_mode = OFF')
    client.run('PRAGMA synchronous = OFF')
    client.run('PRAGMA cache_size = -65536')
    chmodSync(file, OWNER_ONLY)
    this.#connection = { client, orm: drizzle(client) }
    bringUpToDate(this.#connection)
    writeMeta(this.#connection, 'epoch', epoch)
    if (pushTime > 0) writeMeta(this.#connection, 'push_time', String(pushTime))
    writeCopy(this.#connection, copy)
    this.#rows = new RowWriter(this.#connection)
    this.#nextId = nextId
  }

  write(table: CopiedTable, rows: readonly CopiedRow[]): void {
    const { client } = this.#connection
    client.run('BEGIN')
    for (const row of rows) this.#write(table, row)
    client.run('COMMIT')
  }

  close(): void {
    this.#connection.client.close()
  }

  #write(table: CopiedTable, row: CopiedRow): void {
    const { name } = table
    if (name === 'node') this.#writeSlot(table, row)
    else if (name === 'log') {
      for (const { seq, at, kind, path, data } of changesOfCopied(row)) {
        this.#run('INSERT INTO change(seq, at, kind, path, data) VALUES (?, ?, ?, ?, ?)', [seq, at, kind, path, data])
      }
    } else if (name === 'setting') {
      const [setting, text = null] = row
      this.#run('INSERT INTO meta(name, value) VALUES (?, ?)', [`${SETTING_PREFIX}${setting}`, text])
    } else this.#insert(table, row)
  }

  #writeSlot(table: CopiedTable, row: CopiedRow): void {
    const [parent, key, kind, text] = row as readonly [number, string, number, string | null]
    const value = text !== null && text.length > LONGEST_STRING ? parseStored(text) : undefined
    const string = value === undefined ? undefined : longString(value, LONGEST_STRING)
    if (value === undefined || string === undefined) this.#insert(table, row)
    else this.#writeChunks(parent, key, kind, value, string)
  }

  #writeChunks(parent: number, key: string, kind: number, value: Value, string: string): void {
    const id = this.#nextId++
    this.#rows.upsertHead(parent, key, kind, headOf(value, string), id)
    this.#rows.insertInterior(id, parent, key, 0, Trait.chunks)
    for (const _ of this.#rows.chunks.insert(id, value, string, defaultStorage.chunkLength)) {
      // Written with each step.
    }
  }

  #insert({ name, columns }: CopiedTable, row: CopiedRow): void {
    let statement = this.#statements.get(name)
    if (statement === undefined) {
      const names = Object.keys(columns)
      const values = FILLED[name] ?? `${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
      statement = this.#connection.client.prepare(`INSERT INTO ${name}(${values}`)
      this.#statements.set(name, statement)
    }
    statement.run(...row)
  }

  #run(text: string, row: CopiedRow): void {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      statement = this.#connection.client.prepare(text)
      this.#statements.set(text, statement)
    }
    statement.run(...row)
  }
}
