import { Database as Client, SQLiteError } from 'bun:sqlite'
import { truncateSync } from 'node:fs'
import { describeOpenError } from './error-advice.ts'
import { lockHolder } from './lock-holder.ts'

/** Mark in the file of a lock. */
const HAD_TREE_FILE = 1

/**
 * Two processes on one file would each believe their own caches. An exclusive transaction on a file beside it is a
 * lock that the system takes back when the process dies. The file of the lock also remembers that there was a tree.
 */
export class TreeLock implements Disposable {
  readonly file: string
  readonly #client: Client
  /** Whether the file it is for has been opened before: if it is not there now, somebody has lost it. */
  readonly hadTreeFile: boolean

  /** @throws Error when another process has it, or it cannot be made */
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

  /** The file is there from now on. */
  noteFile(): void {
    if (!this.hadTreeFile) this.#client.run(`PRAGMA user_version = ${HAD_TREE_FILE}`)
    this.#client.run('COMMIT')
  }

  [Symbol.dispose](): void {
    this.#client.close()
  }
}

/** The process that has a lock, by its id where the system tells it. */
function processNamed(lockFile: string): string {
  const pid = lockHolder(lockFile)
  return pid === undefined ? 'another process' : `another process, ${pid}`
}

/** @throws SQLiteError with the code `SQLITE_BUSY` when another process has it */
function lock(file: string): Client {
  try {
    return lockWhole(file)
  } catch (error) {
    if (!hasCode(error, 'SQLITE_NOTADB')) throw error
    // The power has gone while it got its mark. Nobody has it: whoever did would have been told of before this.
    truncateSync(file)
    return lockWhole(file)
  }
}

function lockWhole(file: string): Client {
  const client = new Client(file, { create: true, readwrite: true })
  try {
    client.run('PRAGMA journal_mode = MEMORY')
    // A commit does not let go of it.
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
