import { Database as Client, SQLiteError } from 'bun:sqlite'
import { troubleOf } from './trouble.ts'

/** Mark in the file of a lock. */
const HAS_HAD_FILE = 1

/**
 * Two processes on one file would each believe their own caches. An exclusive transaction on a file beside it is a
 * lock that the system takes back when the process dies. The file of the lock also remembers that there was a tree.
 */
export class TreeLock implements Disposable {
  readonly file: string
  readonly #client: Client
  /** Whether the file it is for has been opened before: if it is not there now, somebody has lost it. */
  readonly hasHadFile: boolean

  /** @throws Error when another process has it, or it cannot be made */
  constructor(file: string) {
    this.file = `${file}-lock`
    this.#client = openLock(this.file)
    try {
      this.#client.run('PRAGMA journal_mode = MEMORY')
      // A commit does not let go of it.
      this.#client.run('PRAGMA locking_mode = EXCLUSIVE')
      this.#client.run('BEGIN EXCLUSIVE')
      this.hasHadFile = this.#client.query('PRAGMA user_version').values()[0]?.[0] === HAS_HAD_FILE
    } catch (cause) {
      this.#client.close()
      if (cause instanceof SQLiteError && cause.code?.startsWith('SQLITE_BUSY')) {
        throw new Error(`${file} is in use by another process`, { cause })
      }
      throw new Error(`cannot lock ${this.file}: ${troubleOf(cause)}`, { cause })
    }
  }

  /** The file is there from now on. */
  noteFile(): void {
    if (!this.hasHadFile) this.#client.run(`PRAGMA user_version = ${HAS_HAD_FILE}`)
    this.#client.run('COMMIT')
  }

  [Symbol.dispose](): void {
    this.#client.close()
  }
}

function openLock(file: string): Client {
  try {
    return new Client(file, { create: true, readwrite: true })
  } catch (cause) {
    throw new Error(`cannot open ${file}: ${troubleOf(cause)}`, { cause })
  }
}
