import { DholeError } from '../error.ts'
import { type Observer, silentObserver } from '../observer.ts'
import type { DatabaseServer, StorageOptions } from '../options.ts'
import { troubleReporter } from '../store/postgres/connection/database-errors.ts'
import type { Outage } from '../store/postgres/connection/outage.ts'
import type { PostgresDatabase } from '../store/postgres/postgres-database.ts'
import type { KeyName } from './application-keys.ts'
import type { ApplicationCatalog, StoredKeys } from './catalog/application-catalog.ts'
import type { ApplicationStorage, Engine, SharedStorage } from './engine.ts'

/** Called when this process has made keys of an application. */
export type OnKeysMade = (application: string, made: readonly KeyName[], keys: StoredKeys) => void

/** An open database. */
interface Opened {
  readonly database: PostgresDatabase
  readonly catalog: ApplicationCatalog
}

/** All applications in one schema of a PostgreSQL database. It connects when the first application is opened. */
export class PostgresEngine implements Engine {
  readonly shared: SharedStorage
  readonly #server: DatabaseServer
  readonly #onKeysMade: OnKeysMade
  readonly #onSilent: (() => void)[] = []
  #onSessionsLeft: ((applications: readonly string[]) => void) | undefined
  #connecting: Promise<Opened> | undefined
  #database: PostgresDatabase | undefined
  /** Of all attempts to connect. */
  #outage: Outage | undefined

  constructor(server: DatabaseServer, onKeysMade: OnKeysMade = () => {}) {
    this.#server = server
    this.#onKeysMade = onKeysMade
    const engine = this
    this.shared = {
      get isSilent() {
        return engine.#database?.row.isSilent ?? false
      },
      onSilent: (listener) => void this.#onSilent.push(listener),
      onSessionsLeft: (listener) => {
        this.#onSessionsLeft = listener
      },
      add: async (network) => (await this.#connected()).database.failures.add(network),
    }
  }

  placeOf(application: string): string {
    return `application ${application} in the database`
  }

  /** The applications and their keys. @throws what the database throws */
  async catalog(): Promise<ApplicationCatalog> {
    return (await this.#connected()).catalog
  }

  /** @throws what the database throws; the next call connects again */
  async open(
    application: string,
    options: StorageOptions,
    observer: Observer,
    makes: boolean,
  ): Promise<ApplicationStorage> {
    // Loaded on demand: a server on files needs none of it.
    const [{ PostgresStore }, { PostgresMessageStore }, { ApplicationWatch }] = await Promise.all([
      import('../store/postgres/postgres-store.ts'),
      import('../sms/postgres/postgres-message-store.ts'),
      import('./catalog/application-watch.ts'),
    ])
    const { database, catalog } = await this.#connected(observer)
    const { waitMs } = this.#server
    const settings = waitMs === undefined ? options : { ...options, waitMs }
    const store = await PostgresStore.open(database, application, settings, observer, undefined, makes).catch(
      async (error) => {
        throw error instanceof DholeError && error.code === 'app-unknown' ? error : await database.problemOf(error)
      },
    )
    const onTroubled = troubleReporter((error) => observer.storeTroubled(this.placeOf(application), error))
    return {
      tree: store,
      keys: new ApplicationWatch(catalog, store, application, {
        onMade: (made, keys) => this.#onKeysMade(application, made, keys),
        onTroubled,
      }),
      messages: (format) => {
        const messages = new PostgresMessageStore(store.sideTables, format, onTroubled)
        store.onClosing(() => messages.close())
        return messages
      },
      onReplaced: (listener) => store.onMoved(listener),
    }
  }

  async close(): Promise<void> {
    const opened = await this.#connecting?.catch(() => undefined)
    this.#connecting = undefined
    await opened?.database.close()
  }

  async #connected(observer: Observer = silentObserver): Promise<Opened> {
    this.#connecting ??= this.#connect(observer)
    try {
      return await this.#connecting
    } catch (error) {
      this.#connecting = undefined
      throw error
    }
  }

  async #connect(observer: Observer): Promise<Opened> {
    const [{ PostgresDatabase, outageOf }, { ApplicationCatalog }] = await Promise.all([
      import('../store/postgres/postgres-database.ts'),
      import('./catalog/application-catalog.ts'),
    ])
    const { secretsKey, ...server } = this.#server
    this.#outage ??= outageOf(server.url, observer)
    const database = await PostgresDatabase.open(server, observer, this.#outage)
    database.row.onSilent(() => {
      for (const listener of this.#onSilent) listener()
    })
    if (this.#onSessionsLeft !== undefined) database.owners.follow(this.#onSessionsLeft)
    this.#database = database
    return { database, catalog: new ApplicationCatalog(database, secretsKey) }
  }
}
