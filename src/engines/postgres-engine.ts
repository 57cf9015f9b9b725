import type { Observer } from '../observer.ts'
import type { DatabaseServer, StorageOptions } from '../options.ts'
import type { PostgresDatabase } from '../store/postgres/postgres-database.ts'
import type { ApplicationStorage, Engine } from './engine.ts'

/** All applications in one schema of a PostgreSQL database. It connects when the first application is opened. */
export class PostgresEngine implements Engine {
  readonly #server: DatabaseServer
  #database: Promise<PostgresDatabase> | undefined

  constructor(server: DatabaseServer) {
    this.#server = server
  }

  placeOf(application: string): string {
    return `application ${application} in the database`
  }

  /** @throws what the database throws; the next call connects again */
  async open(application: string, options: StorageOptions, observer: Observer): Promise<ApplicationStorage> {
    // Loaded on demand: a server on files needs none of it.
    const [{ PostgresStore }, { PostgresMessageStore }] = await Promise.all([
      import('../store/postgres/postgres-store.ts'),
      import('../sms/postgres/postgres-message-store.ts'),
    ])
    const database = await this.#connected(observer)
    const { waitMs } = this.#server
    const settings = waitMs === undefined ? options : { ...options, waitMs }
    const store = await PostgresStore.open(database, application, settings, observer).catch(async (error) => {
      throw await database.problemOf(error)
    })
    return {
      tree: store,
      messages: (format) => {
        const messages = new PostgresMessageStore(store.sideTables, format, (error) =>
          observer.storeTroubled(this.placeOf(application), error),
        )
        store.onClosing(() => messages.close())
        return messages
      },
      onReplaced: (listener) => store.onMoved(listener),
    }
  }

  async close(): Promise<void> {
    const database = await this.#database?.catch(() => undefined)
    this.#database = undefined
    await database?.close()
  }

  async #connected(observer: Observer): Promise<PostgresDatabase> {
    this.#database ??= this.#connect(observer)
    try {
      return await this.#database
    } catch (error) {
      this.#database = undefined
      throw error
    }
  }

  async #connect(observer: Observer): Promise<PostgresDatabase> {
    const { PostgresDatabase } = await import('../store/postgres/postgres-database.ts')
    return await PostgresDatabase.open(this.#server, observer)
  }
}
