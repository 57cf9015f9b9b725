/** What the machine itself can do: the measures that embedded operations are held against. */
import { Database as Client } from 'bun:sqlite'
import { closeSync, fdatasync, openSync, rmSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

const sync = promisify(fdatasync)

/** Appends to a file and makes it durable, one write after the other. */
export class SyncedFile implements Disposable {
  readonly #file: string
  readonly #descriptor: number

  constructor(file: string) {
    this.#file = file
    this.#descriptor = openSync(file, 'a')
  }

  async append(bytes: Uint8Array): Promise<void> {
    writeSync(this.#descriptor, bytes)
    await sync(this.#descriptor)
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
    rmSync(this.#file)
  }
}

/** A table of finished texts by primary key: what reading costs without a tree. */
export class RawTable implements Disposable {
  readonly #client: Client
  readonly #get

  constructor(file: string, rows: Iterable<readonly [key: string, text: string]>) {
    this.#client = new Client(file)
    this.#client.run('PRAGMA journal_mode = WAL')
    this.#client.run('CREATE TABLE row(key TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID')
    const insert = this.#client.prepare('INSERT INTO row VALUES (?, ?)')
    this.#client.transaction(() => {
      for (const [key, text] of rows) insert.run(key, text)
    })()
    this.#get = this.#client.prepare<{ text: string }, [string]>('SELECT text FROM row WHERE key = ?')
  }

  /** One prepared point read, a transaction of its own. */
  text(key: string): string {
    return this.#get.get(key)?.text ?? ''
  }

  [Symbol.dispose](): void {
    this.#client.close()
  }
}
