/** The PostgreSQL that trees are measured on: that of `TEST_DATABASE_URL`, or one that the run starts, with fsync. */
import { SQL } from 'bun'
import type { Database } from '../../src/database/database.ts'
import { openServerTree } from '../../src/open-tree.ts'
import { serversOf } from '../../src/store/postgres/connection/address.ts'
import { OwnedPostgres, whyNoOwnPostgres } from '../../test/support/postgres/owned-server.ts'
import { MAX_INDEX_ENTRIES } from '../stock/places.ts'

const GIVEN = process.env['TEST_DATABASE_URL']
/** As an installation of this size would have them. */
const SETTINGS = ['shared_buffers=512MB', 'max_wal_size=2GB', 'checkpoint_timeout=30min']
/** No server outlives this, whatever becomes of the run. */
const LIFETIME_SECONDS = 7200

/** Why nothing can be measured on PostgreSQL; `undefined` when it can. */
export const whyNoPostgres =
  GIVEN === undefined && whyNoOwnPostgres !== undefined
    ? `${whyNoOwnPostgres}, and TEST_DATABASE_URL is not set`
    : undefined

/** Puts data into the tree of one application. */
export type Fill = (database: Database) => Promise<void>

export class BenchPostgres implements AsyncDisposable {
  readonly #own: OwnedPostgres | undefined
  readonly #url: string
  readonly #client: SQL
  readonly #announce: (news: string) => void
  /** Databases that are there. */
  readonly #databases = new Set<string>()
  #copies = 0

  private constructor(own: OwnedPostgres | undefined, url: string, announce: (news: string) => void) {
    this.#own = own
    this.#url = url
    this.#client = new SQL({ ...serversOf({ url, insecure: true })[0], max: 1 } as SQL.Options)
    this.#announce = announce
  }

  /** @param announce told of what takes its time */
  static async start(announce: (news: string) => void): Promise<BenchPostgres> {
    if (GIVEN !== undefined) return new BenchPostgres(undefined, GIVEN, announce)
    const own = await OwnedPostgres.create({ settings: SETTINGS, seconds: LIFETIME_SECONDS })
    return new BenchPostgres(own, own.url, announce)
  }

  /**
   * Makes a database of that name, if it is not there yet.
   * @param fills by application
   */
  async build(stock: string, fills: Readonly<Record<string, Fill>>): Promise<void> {
    const name = nameOf(stock)
    if (this.#databases.has(name)) return
    this.#announce(`making ${stock} on PostgreSQL`)
    await this.#create(name)
    for (const [application, fill] of Object.entries(fills)) {
      const storage = { maxIndexEntries: MAX_INDEX_ENTRIES }
      const tree = await openServerTree({ url: this.#urlOf(name), insecure: true, application, storage })
      try {
        await fill(tree.database)
      } finally {
        await tree.database.close()
        await tree.disconnect()
      }
    }
    await using filled = new SQL({ ...serversOf({ url: this.#urlOf(name), insecure: true })[0], max: 1 } as SQL.Options)
    await filled.unsafe('VACUUM ANALYZE')
  }

  /** Runs a measurement on copies of databases, by their addresses in the same order, and removes them. */
  async withCopies<T>(stocks: readonly string[], measure: (urls: readonly string[]) => Promise<T>): Promise<T> {
    const copies: string[] = []
    try {
      for (const stock of stocks) {
        const copy = nameOf(`copy-${this.#copies++}`)
        await this.#create(copy, nameOf(stock))
        copies.push(copy)
      }
      // What copying leaves to do would fall into the measurement.
      await this.#client.unsafe('CHECKPOINT')
      return await measure(copies.map((copy) => this.#urlOf(copy)))
    } finally {
      for (const copy of copies) await this.#drop(copy)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#own === undefined) for (const name of this.#databases) await this.#drop(name)
    await this.#client.close()
    await this.#own?.[Symbol.asyncDispose]()
  }

  async #create(name: string, template = 'template0'): Promise<void> {
    await this.#client.unsafe(`CREATE DATABASE "${name}" TEMPLATE "${template}"`)
    this.#databases.add(name)
  }

  async #drop(name: string): Promise<void> {
    await this.#client.unsafe(`DROP DATABASE "${name}" WITH (FORCE)`)
    this.#databases.delete(name)
  }

  #urlOf(name: string): string {
    const url = new URL(this.#url)
    url.pathname = `/${name}`
    return url.href
  }
}

function nameOf(stock: string): string {
  return `dhole-bench-${process.pid}-${stock}`
}
