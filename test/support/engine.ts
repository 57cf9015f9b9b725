import { Database as Client } from 'bun:sqlite'
import { afterAll, beforeAll, test } from 'bun:test'
import { basename, dirname, join, resolve } from 'node:path'
import type { Database as Tree } from '../../src/database/database.ts'
import { type Database, type DatabaseOptions, type DatabaseServer, openDatabase } from '../../src/embedded.ts'
import { openServerTree, openTree } from '../../src/open-tree.ts'
import type { DholeOptions } from '../../src/options.ts'
import { indexProblems } from '../../src/store/postgres/indexes/inspect.ts'
import { PostgresDatabase } from '../../src/store/postgres/postgres-database.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { SqliteOptions } from '../../src/store/sqlite/sqlite-options.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { TreeStore } from '../../src/store/store.ts'
import { integrityProblems } from '../unit/store/integrity.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from './postgres/cluster.ts'
import { valueInRows } from './postgres/rows-of-tree.ts'
import { strictObserver } from './store.ts'

const ENGINES = ['sqlite', 'postgres'] as const

/** Whether tests run on PostgreSQL. `TEST_ENGINE` says so for all, `runOnPostgres` for those of one file. */
let isPostgres = chosen() === 'postgres'

/** Schema of each data folder that a test has named: the same folder has the same applications again. */
const schemas = new Map<string, string>()
/** Application of each file that a test has named, in a schema of their own. */
const applications = new Map<string, string>()
let schemaOfFiles: string | undefined

function chosen(): (typeof ENGINES)[number] {
  const name = process.env['TEST_ENGINE'] || 'sqlite'
  const engine = ENGINES.find((known) => known === name)
  if (engine === undefined) throw new Error(`TEST_ENGINE is ${name}: expected ${ENGINES.join(' or ')}`)
  return engine
}

/** Where a service with this data folder stores its applications. For the options of `dhole` and `openApplications`. */
export function storageOf(dataDir: string): Pick<DholeOptions, 'database'> {
  return isPostgres ? { database: serverOf(dataDir) } : {}
}

/** Makes applications that a service with this data folder opens on demand. In files the service makes them itself. */
export async function makeApplications(dataDir: string, ids: readonly string[]): Promise<void> {
  if (!isPostgres) return
  for (const application of ids) await (await openDatabase({ ...serverOf(dataDir), application })).close()
}

/** Opens the tree that a test names by a file. The engine may have it elsewhere. */
export async function openTestDatabase(options: DatabaseOptions): Promise<Database> {
  if (!isPostgres) return openDatabase(options)
  const { file, ...others } = options
  return await openDatabase({ ...others, ...placeOf(file) })
}

/** As `openTestDatabase`, with internal operations. */
export async function openTestTree(options: DatabaseOptions): Promise<Tree> {
  if (!isPostgres) return openTree(options)
  const { file, ...others } = options
  const { database, disconnect } = await openServerTree({ ...others, ...placeOf(file) })
  return closingToo(database, disconnect)
}

/** The store of the tree that a test names by a file. Settings of another engine have no effect. */
export async function openTestStore(
  file: string,
  options: SqliteOptions = {},
  observer = strictObserver,
): Promise<TreeStore> {
  if (!isPostgres) return new SqliteStore(file, options, observer)
  const { application, ...server } = placeOf(file)
  const database = await PostgresDatabase.open(server)
  return closingToo(await PostgresStore.open(database, application, options, observer), () => database.close())
}

/** Number of rows that the application `app` of a data folder has in a table. */
export async function countStored(dataDir: string, table: string): Promise<number> {
  const count = `SELECT count(*) AS count FROM ${table}`
  if (!isPostgres) {
    const file = new Client(join(dataDir, 'apps', 'app.sqlite'), { readonly: true })
    const [row] = file.query<{ count: number }, []>(count).all()
    file.close()
    return row?.count ?? 0
  }
  const database = await PostgresDatabase.open(serverOf(dataDir))
  const [row] = await database.lanes.query<{ count: string }>(count)
  await database.close()
  return Number(row?.count)
}

/** What is wrong with the rows of a closed tree that a test names by a file. */
export async function treeProblems(file: string): Promise<readonly unknown[]> {
  if (!isPostgres) return integrityProblems(file)
  const { application, ...server } = placeOf(file)
  const database = await PostgresDatabase.open(server)
  try {
    const found = 'SELECT tree FROM application WHERE id = $1::text'
    const [row] = await database.lanes.query<{ tree: number }>(found, [application])
    if (row === undefined) throw new Error(`no tree of ${file}`)
    return await database.lanes.snapshot(async (statements) => {
      await valueInRows(statements, row.tree)
      return await Array.fromAsync(indexProblems(statements, row.tree))
    })
  } finally {
    await database.close()
  }
}

/**
 * Defines a test of what only storage in files and in this process has. On PostgreSQL it is skipped, and its name says why.
 * @param reason what it does with the file, or needs of the process
 */
export function fileTest(reason: string, name: string, run: () => Promise<void> | void, timeoutMs?: number): void {
  if (isPostgres) test.skip(`${name} (not on PostgreSQL: ${reason})`, run)
  else test(name, run, timeoutMs)
}

/**
 * Runs the tests of another file on PostgreSQL, in this process.
 * @param file its URL
 */
export async function runOnPostgres(file: URL): Promise<void> {
  // They run there already.
  if (isPostgres) return
  if (whyNoPostgres !== undefined) {
    test.skip(whyNoPostgres, () => {})
    return
  }
  beforeAll(() => {
    isPostgres = true
  })
  afterAll(() => {
    isPostgres = false
  })
  isPostgres = true
  // The query makes it another module than the one that runs on SQLite in the same process.
  await import(`${Bun.fileURLToPath(file)}?postgres`)
  isPostgres = false
}

/** Waits until a service that was stopped has let go of a data folder. */
export async function databaseReleased(dataDir: string): Promise<void> {
  const { schema = '', ...server } = serverOf(dataDir)
  const database = await PostgresDatabase.open({ ...server, schema, connections: 1 })
  const others = async () => {
    const [row] = await database.lanes.query<{ others: number }>(
      'SELECT count(*)::int AS others FROM process WHERE id <> $1::text',
      [database.process],
    )
    return row?.others ?? 0
  }
  while ((await others()) > 0) await new Promise(setImmediate)
  await database.close()
}

/** Whether tests run on PostgreSQL, whose reads take some turns of the event loop. */
export function runsOnPostgres(): boolean {
  return isPostgres
}

/** Whether tests run on PostgreSQL that run on SQLite too, beside them. */
export function repeatsOnPostgres(): boolean {
  return isPostgres && chosen() !== 'postgres'
}

/** Whether a data folder has its applications on PostgreSQL. */
export function isOnPostgres(dataDir: string): boolean {
  return schemas.has(resolve(dataDir))
}

function serverOf(dataDir: string): DatabaseServer {
  const folder = resolve(dataDir)
  const schema = schemas.get(folder) ?? freshSchema()
  schemas.set(folder, schema)
  return { url: urlOfServer(), schema }
}

function placeOf(file: string): DatabaseServer & { readonly application: string } {
  const path = resolve(file)
  const folder = dirname(dirname(path))
  // A file of a data folder is one of its applications.
  if (schemas.has(folder)) return { ...serverOf(folder), application: basename(path, '.sqlite') }
  schemaOfFiles ??= freshSchema()
  const application = applications.get(path) ?? `tree-${applications.size}`
  applications.set(path, application)
  return { url: urlOfServer(), schema: schemaOfFiles, application }
}

function urlOfServer(): string {
  const url = databaseUrl()
  if (url === undefined) throw new Error(whyNoPostgres)
  return url
}

/** Ends what an object was opened with when the object is closed. */
function closingToo<T extends { close(): Promise<void> }>(opened: T, end: () => Promise<void>): T {
  const close = opened.close.bind(opened)
  let ended: Promise<void> | undefined
  opened.close = () => {
    ended ??= close().finally(end)
    return ended
  }
  return opened
}
