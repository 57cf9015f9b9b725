import { Database as Client, SQLiteError } from 'bun:sqlite'
import { truncateSync } from 'node:fs'
import { describeOpenError } from './error-advice.ts'
import { lockHolder } from './lock-holder.ts'

/** Mark in the lock file. */
const HAD_TREE_FILE = 1

/**
 * Excludes other processes from a tree, because each process caches it. The lock is an exclusive transaction on a file
 * beside the tree: the system releases it when the process dies. The lock file also records that the tree existed.
 */
export class TreeLock implements Disposable {
  readonly file: string
  readonly #client: Client
  /** Whether the tree existed before: if its file is missing now, it was lost. */
  readonly hadTreeFile: boolean

  /** @throws Error when another process holds the lock, or the lock file cannot be created */
  constructor(file: string) {
    this.file = `${file}-lock`
    try {
      this.#client = lock(this.file)
      this.hadTreeFile = this.#client.query('PRAGMA user_version').values()[0]?.[0] === HAD_TREE_FILE
    } catch (cause) {
      if (hasCode(cause, 'SQLITE_BUSY')) throw new Error(`${file} is in use by ${processNamed(this.file)}`, { cause })
      throw new Error(`cannot lock ${this.file}: ${describeOpenError(cause)}`, { cause })
    }
  }

  /** Records that the file exists. */
  noteFile(): void {
    if (!this.hadTreeFile) this.#client.run(`PRAGMA user_version = ${HAD_TREE_FILE}`)
    this.#client.run('COMMIT')
    // Its page cache is not needed any more.
    this.#client.run('PRAGMA shrink_memory')
  }

  [Symbol.dispose](): void {
    this.#client.close()
  }
}

/** The process that holds a lock, with its id where it is known. */
function processNamed(lockFile: string): string {
  const pid = lockHolder(lockFile)
  return pid === undefined ? 'another process' : `another process, ${pid}`
}

/** @throws SQLiteError with the code `SQLITE_BUSY` when another process holds the lock */
function lock(file: string): Client {
  try {
    return lockWhole(file)
  } catch (error) {
    if (!hasCode(error, 'SQLITE_NOTADB')) throw error
    // The power failed while the mark was written. The lock is free: a held lock throws SQLITE_BUSY first.
    truncateSync(file)
    return lockWhole(file)
  }
}

function lockWhole(file: string): Client {
  const client = new Client(file, { create: true, readwrite: true })
  try {
    client.run('PRAGMA journal_mode = MEMORY')
    // Keeps the lock after a commit.
    client.run('PRAGMA locking_mode = EXCLUSIVE')
    client.run('BEGIN EXCLUSIVE')
    return client
  } catch (error) {
    client.close()
    throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof SQLiteError && error.code?.startsWith(code) === true
}
