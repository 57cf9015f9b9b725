/** What `dhole doctor` says of a database. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { runDhole } from '../../support/dhole-command.ts'
import { databaseUrl, freshSchema, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'

/** Something done to good tables, and what the doctor says of it. */
interface Row {
  readonly why: string
  readonly spoil: readonly string[]
  readonly flags?: readonly string[]
  readonly says: RegExp
  readonly status: number
}

const FULL = ['--full']
const ROWS: readonly Row[] = [
  {
    why: 'nothing',
    spoil: [],
    flags: FULL,
    says: /^ok +database: PostgreSQL \d+.* answers and takes writes\n[\s\S]*^ok +tree "app": every row checked$/m,
    status: 0,
  },
  {
    why: 'settings of the server that lose writes',
    spoil: [],
    says: /^warning +durability: fsync is off: a power cut may lose acknowledged writes -> set fsync = on$/m,
    status: 0,
  },
  {
    why: 'a count that is wrong',
    spoil: ['UPDATE interior SET child_count = child_count + 1 WHERE parent_id <> 0'],
    flags: FULL,
    says: /^problem +tree "app": a number of children is wrong \(.*"count":401.*\) -> stop writing/m,
    status: 1,
  },
  {
    why: 'a count that is wrong, without reading the rows',
    spoil: ['UPDATE interior SET child_count = child_count + 1'],
    says: /^ok +trees: 1 applications; --full reads their rows$/m,
    status: 0,
  },
  {
    why: 'a slot that is gone',
    spoil: ['DELETE FROM node WHERE id IS NOT NULL AND parent_id <> 0'],
    flags: FULL,
    says: /^problem +tree "app": .*an interior node has no slot/m,
    status: 1,
  },
  {
    why: 'a kind that does not fit',
    spoil: ["UPDATE node SET kind = 3 WHERE kind = 6 AND key LIKE '%k7'"],
    flags: FULL,
    says: /kind, value and id of a slot do not fit/,
    status: 1,
  },
  {
    why: 'a closure row that is missing',
    spoil: ['DELETE FROM closure WHERE depth = 1'],
    flags: FULL,
    says: /a closure row is missing/,
    status: 1,
  },
  {
    why: 'a log with a gap',
    spoil: ['DELETE FROM log WHERE batch = 1'],
    flags: FULL,
    says: /the log has a gap/,
    status: 1,
  },
  {
    why: 'an entry of an index that is missing',
    spoil: ['DELETE FROM index_entry WHERE ctid IN (SELECT ctid FROM index_entry LIMIT 1)'],
    flags: FULL,
    says: /an index lacks an entry/,
    status: 1,
  },
  {
    why: 'tables of a later version',
    spoil: ["UPDATE installation SET schema_version = 99, least_version = 99, made_by = '9.1.0'"],
    says: /^problem +database: .*: the tables of the schema "\w+" need dhole 9\.1\.0 or later; this is \d/m,
    status: 1,
  },
  {
    why: 'tables of a later version that this one can use',
    spoil: ['UPDATE installation SET schema_version = 99'],
    flags: FULL,
    says: /^ok +tables: those of a later version, which this one can use[\s\S]*^ok +tree "app": every row checked$/m,
    status: 0,
  },
  {
    why: 'tables of an older version',
    spoil: ['UPDATE installation SET schema_version = 0'],
    says: /^ok +tables: of an older version: the next start brings them up to date$/m,
    status: 0,
  },
  {
    why: 'a server of another version',
    spoil: [
      'INSERT INTO process SELECT n::text, n::text, 1, n::text, 0, extract(epoch FROM clock_timestamp()) * 1000 FROM generate_series(8, 9) n',
    ],
    says: /^warning +servers: of several versions: 8 on 8, 9 on 9 -> update all of them$/m,
    status: 0,
  },
]

/** Another server than that of the tests may be set to lose nothing. */
const rows = ROWS.filter(({ says }) => process.env['TEST_DATABASE_URL'] === undefined || !says.source.includes('fsync'))

describe.skipIf(whyNoPostgres !== undefined)(`the doctor${whyNoPostgres ? `: ${whyNoPostgres}` : ''}`, () => {
  const schema = freshSchema()
  let dir: TempDir
  let client: SQL

  const settings = () => ({ DATABASE_URL: databaseUrl() ?? '', DATABASE_SCHEMA: schema })
  const examine = (flags: readonly string[] = [], more: Readonly<Record<string, string>> = {}) =>
    runDhole(['doctor', '--data-dir', dir.file('data'), ...flags], { ...settings(), ...more })

  beforeAll(async () => {
    dir = await tempDir()
    const folder = new URL(databaseUrl() ?? '').searchParams.get('host')
    client = new SQL({
      adapter: 'postgres',
      ...(folder === null
        ? { url: databaseUrl() }
        : { path: `${folder}/.s.PGSQL.5432`, username: 'dhole', database: 'postgres' }),
      max: 1,
      connection: { search_path: schema },
    } as SQL.Options)
    const server = await spawnServer({ ...settings(), DATA_DIR: dir.file('data') })
    const tls = { ca: await Bun.file(server.certificate).text() }
    const list = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [`k${at}`, { age: at % 50, name: 'n'.repeat(40) }]),
    )
    await fetch(`${server.url}/list.json`, { method: 'PUT', body: JSON.stringify(list), tls })
    await fetch(`${server.url}/a.json`, { method: 'PUT', body: '1', tls })
    await fetch(`${server.url}/list.json?orderBy="age"&limitToFirst=1`, { tls })
    server.kill('SIGTERM')
    await server.exited
    await client.unsafe(`CREATE SCHEMA ${schema}_good`)
    for (const table of await tables()) {
      await client.unsafe(`CREATE TABLE ${schema}_good.${table} AS SELECT * FROM ${table}`)
    }
  }, 120_000)

  afterAll(async () => {
    await client.close({ timeout: 0 })
    await dir[Symbol.asyncDispose]()
  })

  async function tables(): Promise<readonly string[]> {
    const rows = await client.unsafe(
      `SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' AND tablename <> 'application'`,
    )
    return rows.map(({ tablename }: { tablename: string }) => tablename)
  }

  /** Puts back the rows of before. */
  async function mend(): Promise<void> {
    for (const table of await tables()) {
      await client.unsafe(`TRUNCATE ${table}`)
      await client.unsafe(`INSERT INTO ${table} SELECT * FROM ${schema}_good.${table}`)
    }
  }

  test.each(rows.map((row) => [row.why, row] as const))(
    '%s',
    async (_, { spoil, flags, says, status }) => {
      for (const statement of spoil) await client.unsafe(statement)
      try {
        const result = await examine(flags)
        expect(result.stdout).toMatch(says)
        expect([result.status, result.stderr]).toEqual([status, ''])
      } finally {
        await mend()
      }
    },
    120_000,
  )

  test('a database that does not answer', async () => {
    const { status, stdout } = await examine([], { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/tree' })
    expect(status).toBe(1)
    expect(stdout).toMatch(
      /^problem +database: cannot use the database 127\.0\.0\.1:1\/tree: no server answers there -> start it/m,
    )
  })

  test('a schema without tables', async () => {
    const { status, stdout } = await examine([], { DATABASE_SCHEMA: freshSchema() })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^ok +tables: the schema "\w+" has none yet/m)
  })
})
