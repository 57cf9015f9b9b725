import { resolve } from 'node:path'
import { treeFile } from '../data-folder/tree-file.ts'
import type { Observer } from '../observer.ts'
import type { StorageOptions } from '../options.ts'
import { SqliteMessageStore } from '../sms/sqlite/sqlite-message-store.ts'
import { openStore } from '../store/open.ts'
import type { ApplicationStorage, Engine } from './engine.ts'
import { FileKeys } from './file-keys.ts'

/** One SQLite file for each application of a data folder. */
export class SqliteEngine implements Engine {
  readonly #dataDir: string

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  placeOf(application: string): string {
    return treeFile(this.#dataDir, application)
  }

  /** @throws Error when the file is in use or damaged */
  open(application: string, options: StorageOptions, observer: Observer): ApplicationStorage {
    const keys = new FileKeys(this.#dataDir, application)
    return { ...openSqlite(resolve(this.placeOf(application)), options, observer), keys }
  }

  async close(): Promise<void> {}
}

/**
 * Opens the file of one application.
 * @param place a path, or a `file:` or `sqlite:` URL
 * @throws TypeError for another URL, Error when the file is in use or damaged
 */
export function openSqlite(
  place: string,
  options: StorageOptions,
  observer: Observer,
): Omit<ApplicationStorage, 'keys'> {
  const store = openStore(place, options, observer)
  return {
    tree: store,
    messages: (format) => new SqliteMessageStore(store.sideTables, format),
    onReplaced: (listener) => store.onReplaced(listener),
  }
}
