import type { DholeOptions } from '../../../src/options.ts'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import { type ChildServer, startChild } from '../../support/child-server.ts'
import { SECRET } from '../../support/https-server.ts'
import { databaseUrl, freshSchema } from '../../support/postgres/cluster.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

const RULES = '{"rules":{".read":true,".write":true}}'

/** Server processes that share one database. To be disposed. */
export class SharedDatabase implements AsyncDisposable {
  readonly #dir: TempDir
  readonly #options: DholeOptions
  readonly #children: ChildServer[] = []
  readonly #server: { readonly url: string; readonly schema: string }

  private constructor(dir: TempDir, url: string, rules: string) {
    this.#dir = dir
    this.#server = { url, schema: freshSchema() }
    const applications = { app: { secret: SECRET, rules } }
    this.#options = { dataDir: dir.path, database: this.#server, applications, failedCredentials: 0 }
  }

  static async create(rules = RULES): Promise<SharedDatabase> {
    return new SharedDatabase(await tempDir(), databaseUrl() ?? '', rules)
  }

  async start(): Promise<ChildServer> {
    const child = await startChild(this.#options)
    this.#children.push(child)
    return child
  }

  /**
   * Makes the processes that sessions belong to look as if they had given no sign of life for long, in place of a wait. One
   * that is alive gives one soon.
   */
  async forgetOwners(): Promise<void> {
    await this.#query('DELETE FROM process WHERE id IN (SELECT process FROM session)')
  }

  /** Number of sessions that are stored, and of their values. */
  async counts(): Promise<{ readonly sessions: number; readonly values: number }> {
    const [row] = await this.#query<{ sessions: number; values: number }>(
      'SELECT (SELECT count(*)::int FROM session) AS sessions, (SELECT count(*)::int FROM session_value) AS values',
    )
    return row ?? { sessions: -1, values: -1 }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#children.map((child) => child[Symbol.asyncDispose]()))
    await this.#dir[Symbol.asyncDispose]()
  }

  async #query<R extends object>(text: string): Promise<readonly R[]> {
    const database = await PostgresDatabase.open(this.#server)
    try {
      return await database.lanes.query<R>(text)
    } finally {
      await database.close()
    }
  }
}
