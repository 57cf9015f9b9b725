import { Database } from '../../src/database/database.ts'
import type { DatabaseSettings } from '../../src/database/database-settings.ts'
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { TreeStore } from '../../src/store/store.ts'
import { databaseSettings } from './database-settings.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from './postgres/cluster.ts'
import { strictObserver } from './store.ts'

/** Options that both engines have. */
interface StoreOptions {
  readonly inlineLength?: number
  readonly shortList?: number
  readonly cacheLength?: number
}

/** An engine that tests of any room can run on. */
export interface TestEngine {
  readonly name: string
  /** Opens or creates the tree at a path that is the test's own. The same path is the same tree. Trouble fails the test. */
  open(file: string, options?: StoreOptions): Promise<TreeStore>
  /** Ends what the stores share. Call it when all tests are done. */
  close(): Promise<void>
}

const sqlite: TestEngine = {
  name: 'SQLite',
  open: async (file, options = {}) => new SqliteStore(file, options, strictObserver),
  close: async () => {},
}

let database: Promise<PostgresDatabase> | undefined

const postgres: TestEngine = {
  name: 'PostgreSQL',
  async open(file, options = {}) {
    database ??= PostgresDatabase.open({ url: databaseUrl() ?? '', schema: freshSchema() })
    // The path names the application.
    return PostgresStore.open(await database, file, options, strictObserver)
  },
  async close() {
    const opened = database
    database = undefined
    await (await opened)?.close()
  },
}

/** The engines that run here, with their names: for `describe.each`. */
export const engines: readonly (readonly [name: string, engine: TestEngine])[] = [
  sqlite,
  ...(whyNoPostgres === undefined ? [postgres] : []),
].map((engine) => [engine.name, engine])

/** Opens the database of a tree; see `TestEngine`. @param settings in place of those of `databaseSettings` */
export async function openDatabaseOn(
  engine: TestEngine,
  file: string,
  settings: Partial<DatabaseSettings> = {},
): Promise<Database> {
  return new Database(await engine.open(file), { ...databaseSettings, ...settings })
}
