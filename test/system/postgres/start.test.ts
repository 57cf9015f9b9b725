/** What a server says, and how it ends, when it cannot use its database. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import program from '../../../package.json' with { type: 'json' }
import { runDhole, spawnDhole } from '../../support/dhole-command.ts'
import { longTest, someInLanes } from '../../support/lane.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { TcpPostgres } from '../../support/postgres/tcp-server.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** A start that fails. */
interface Row {
  readonly why: string
  /** Settings, given the server; `DATABASE_URL` is that of the owner. */
  readonly settings: (server: TcpPostgres) => Readonly<Record<string, string>>
  /** Statements that spoil the database. */
  readonly spoil?: readonly string[]
  /** The line, without its beginning `dhole: `. `PLACE` stands for host, port and database. */
  readonly line: string
}

const CANNOT = 'cannot use the database PLACE: '
const ROWS: readonly Row[] = [
  {
    why: 'another protocol',
    settings: () => ({ DATABASE_URL: 'mysql://somebody@localhost/tree' }),
    line: 'DATABASE_URL: expected an address such as postgres://user@host/name',
  },
  {
    why: 'no user',
    settings: ({ port }) => ({ DATABASE_URL: `postgres://127.0.0.1:${port}/postgres` }),
    line: 'DATABASE_URL: the address of the database names no user: postgres://user@host/name',
  },
  {
    why: 'another machine without verification',
    settings: () => ({ DATABASE_URL: 'postgres://u:p@db.example.org/tree?sslmode=require' }),
    line: 'DATABASE_URL: sslmode=require does not verify which machine answers: use sslmode=verify-full, or set DATABASE_INSECURE=true',
  },
  {
    why: 'a wrong password',
    settings: (server) => ({ DATABASE_URL: server.url('owner', 'guessed') }),
    line: `${CANNOT}it refuses the user: password authentication failed for user "owner"`,
  },
  {
    why: 'an unknown database',
    settings: (server) => ({ DATABASE_URL: server.url('owner', 'of the owner', 'missing') }),
    line: 'cannot use the database 127.0.0.1:PORT/missing: database "missing" does not exist: create it first',
  },
  {
    why: 'an unknown host',
    settings: () => ({ DATABASE_URL: 'postgres://u:p@db.invalid/tree', DATABASE_WAIT_MS: '0' }),
    line: 'cannot use the database db.invalid/tree: there is no host of this name',
  },
  {
    why: 'a certificate that is not trusted',
    settings: (server) => ({ DATABASE_URL: `${server.url()}?sslmode=verify-full` }),
    line: `${CANNOT}its certificate is not trusted (self signed certificate): set DATABASE_CA`,
  },
  {
    why: 'a file of an authority that is missing',
    settings: () => ({ DATABASE_CA: '/nowhere/ca.pem' }),
    line: 'DATABASE_CA: /nowhere/ca.pem: there is no such file',
  },
  {
    why: 'a file of an authority that is none',
    settings: (server) => ({ DATABASE_URL: `${server.url()}?sslmode=verify-full`, DATABASE_CA: import.meta.path }),
    line: `${CANNOT}Invalid CA`,
  },
  {
    why: 'no right to make the schema',
    settings: (server) => ({ DATABASE_URL: server.url('server', 'of the server'), DATABASE_SCHEMA: 'another' }),
    line: `${CANNOT}its user lacks a right: permission denied for database postgres`,
  },
  {
    why: 'no right to a table',
    settings: (server) => ({ DATABASE_URL: server.url('server', 'of the server') }),
    spoil: ['REVOKE DELETE ON dhole.node FROM server', 'REVOKE INSERT, UPDATE ON dhole.log FROM server'],
    line: `${CANNOT}its user lacks rights: INSERT on log, UPDATE on log, DELETE on node`,
  },
  {
    why: 'tables of an older version that the user may not change',
    settings: (server) => ({ DATABASE_URL: server.url('server', 'of the server') }),
    spoil: ['UPDATE dhole.installation SET schema_version = 2'],
    line: `${CANNOT}the tables of the schema "dhole" are of an older version, and this user may not change them: set DATABASE_OWNER_URL`,
  },
  {
    why: 'tables of a later version',
    settings: () => ({}),
    spoil: ["UPDATE dhole.installation SET schema_version = 99, least_version = 99, made_by = '9.1.0'"],
    line: `${CANNOT}the tables of the schema "dhole" need dhole 9.1.0 or later; this is ${program.version}`,
  },
  {
    why: 'a schema of another program',
    settings: () => ({ DATABASE_SCHEMA: 'foreign_tables' }),
    line: `${CANNOT}the schema "foreign_tables" belongs to another program`,
  },
  {
    why: 'a table of another program with the name of ours',
    settings: () => ({ DATABASE_SCHEMA: 'foreign_name' }),
    line: `${CANNOT}the schema "foreign_name" belongs to another program`,
  },
  {
    why: 'a database of another encoding',
    settings: (server) => ({ DATABASE_URL: server.url('owner', 'of the owner', 'latin') }),
    line: `cannot use the database 127.0.0.1:PORT/latin: its encoding is LATIN1: create a database with ENCODING 'UTF8'`,
  },
  {
    why: 'an owner without a database to use',
    settings: (server) => ({ DATABASE_URL: '', DATABASE_OWNER_URL: server.url() }),
    line: 'DATABASE_OWNER_URL: only with DATABASE_URL',
  },
  {
    why: 'a pooler without an address for notifications',
    settings: () => ({ DATABASE_POOLER: 'transaction' }),
    line: 'DATABASE_POOLER: a pooler drops notifications: set DATABASE_LISTEN_URL to the address of the database itself, or HINTS=poll',
  },
  {
    why: 'an address for notifications without a database',
    settings: (server) => ({ DATABASE_URL: '', DATABASE_LISTEN_URL: server.url() }),
    line: 'DATABASE_LISTEN_URL: only with DATABASE_URL',
  },
  {
    why: 'a file of the password that is missing',
    settings: (server) => ({
      DATABASE_URL: `postgres://owner@127.0.0.1:${server.port}/postgres`,
      DATABASE_PASSWORD_FILE: '/nowhere/password',
    }),
    line: 'DATABASE_PASSWORD_FILE: /nowhere/password: there is no such file',
  },
]

/** Answers that it has no TLS, and nothing else. */
function serverWithoutTls() {
  return Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: (socket) => void socket.write('N') } })
}

describe.skipIf(whyNoPostgres !== undefined)(`a start that fails${whyNoPostgres ? `: ${whyNoPostgres}` : ''}`, () => {
  let server: TcpPostgres

  beforeAll(async () => {
    server = await TcpPostgres.create()
    await server.sql(
      "CREATE ROLE server LOGIN PASSWORD 'of the server'",
      'CREATE SCHEMA foreign_tables',
      'CREATE TABLE foreign_tables.orders (id int)',
      'CREATE SCHEMA foreign_name',
      'CREATE TABLE foreign_name.installation (id int)',
      "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
    )
  }, 120_000)

  afterAll(() => server[Symbol.asyncDispose]())

  /** Tables as a start of the owner for the role `server` makes them. */
  async function freshTables(): Promise<void> {
    await server.sql('DROP SCHEMA IF EXISTS dhole CASCADE')
    const settings = { DATABASE_URL: server.url('server', 'of the server'), DATABASE_OWNER_URL: server.url() }
    await (await spawnServer(settings)).stop()
  }

  test.each(someInLanes(ROWS, 6).map((row) => [row.why, row] as const))(
    '%s: one line, and status 2',
    async (_, { settings, spoil, line }) => {
      await using dir = await tempDir()
      if (spoil !== undefined) {
        await freshTables()
        await server.sql(...spoil)
      }
      const own = { DATABASE_URL: server.url(), DATABASE_WAIT_MS: '1000', LOG_LEVEL: 'warn' }
      const result = await runDhole(['serve'], { PORT: '0', DATA_DIR: dir.file('data'), ...own, ...settings(server) })
      const place = `127.0.0.1:${server.port}/postgres`
      const expected = `dhole: ${line.replace('PLACE', place).replace('PORT', String(server.port))}\n`
      expect([result.status, result.stderr]).toEqual([2, expected])
      expect(result.stdout).not.toContain('listening')
    },
    120_000,
  )

  test('a server that does not offer TLS', async () => {
    await using dir = await tempDir()
    const plain = serverWithoutTls()
    try {
      const url = `postgres://u:p@127.0.0.1:${plain.port}/tree?sslmode=verify-full`
      const settings = { PORT: '0', DATA_DIR: dir.file('data'), DATABASE_URL: url }
      const { status, stderr } = await runDhole(['serve'], settings)
      expect([status, stderr]).toEqual([
        2,
        `dhole: cannot use the database 127.0.0.1:${plain.port}/tree: it does not offer TLS\n`,
      ])
    } finally {
      plain.stop(true)
    }
  })

  longTest(
    'variables of other programs change nothing',
    async () => {
      await server.sql('DROP SCHEMA IF EXISTS dhole CASCADE')
      const others = {
        PGHOST: 'db.invalid',
        PGPORT: '1',
        PGUSER: 'nobody',
        PGPASSWORD: 'wrong',
        PGDATABASE: 'missing',
        PGOPTIONS: '-c search_path=foreign_tables -c nonsense=1',
        PGCHANNELBINDING: 'none',
        PGCONNECT_TIMEOUT: 'soon',
        PGSSLMODE: 'verify-full',
        POSTGRES_URL: 'postgres://nobody@db.invalid/missing?application_name=other&options=-c%20nonsense%3D1',
        TLS_DATABASE_URL: 'postgres://nobody@db.invalid/missing',
      }
      const running = await spawnServer({ DATABASE_URL: server.url(), ...others })
      await running.stop()
      await server.sql('SELECT FROM dhole.installation')
    },
    120_000,
  )

  longTest(
    'the password of another program is not used for an address without one',
    async () => {
      await using dir = await tempDir()
      const settings = {
        DATABASE_URL: `postgres://owner@127.0.0.1:${server.port}/postgres`,
        PGPASSWORD: 'of the owner',
        PORT: '0',
        DATA_DIR: dir.file('data'),
        LOG_LEVEL: 'warn',
      }
      const { status, stdout, stderr } = await spawnDhole(['serve'], settings)
      const place = `127.0.0.1:${server.port}/postgres`
      expect([status, stdout, stderr]).toEqual([
        2,
        '',
        `dhole: cannot use the database ${place}: it refuses the user: password authentication failed for user "owner"\n`,
      ])
    },
    120_000,
  )

  longTest(
    'a password in a file, and the connection verified',
    async () => {
      await using dir = await tempDir()
      await Bun.write(dir.file('password'), 'of the owner\n')
      const running = await spawnServer({
        DATABASE_URL: `postgres://owner@localhost:${server.port}/postgres?sslmode=verify-full`,
        DATABASE_PASSWORD_FILE: dir.file('password'),
        DATABASE_CA: server.certificate,
      })
      await running.stop()
    },
    120_000,
  )

  longTest(
    'a user without the rights of the owner serves tables that the owner made',
    async () => {
      await freshTables()
      const running = await spawnServer({ DATABASE_URL: server.url('server', 'of the server') })
      try {
        const tls = { ca: await Bun.file(running.certificate).text() }
        const put = await fetch(`${running.url}/a.json`, { method: 'PUT', body: '{"b":1}', tls })
        expect([put.status, await put.text()]).toEqual([200, '{"b":1}'])
        const sdk = await clientOfProcess(running)
        await using watcher = await SdkClient.connect(sdk)
        await watcher.request('q', { p: '/left', h: '' })
        const client = await SdkClient.connect(sdk)
        expect((await client.request('o', { p: '/left', d: true })).status).toBe('ok')
        client.cut()
        expect(await watcher.first(3)).toEqual(['d /left null', 'answer 1 ok', 'd /left true'])
        await expect(server.sql('SET ROLE server', 'DROP TABLE dhole.node')).rejects.toThrow('must be owner')
      } finally {
        await running.stop()
      }
    },
    120_000,
  )

  longTest(
    'a database that takes no writes is waited for: requests get 503, and are served once it does',
    async () => {
      await freshTables()
      await server.sql('ALTER ROLE server SET default_transaction_read_only = on')
      const settings = { DATABASE_URL: server.url('server', 'of the server'), DATABASE_WAIT_MS: '500' }
      const running = await spawnServer(settings)
      try {
        expect(running.output()).toContain('it takes no writes, as a standby does: cannot execute')
        const tls = { ca: await Bun.file(running.certificate).text() }
        const read = () => fetch(`${running.url}/a.json`, { tls })
        expect((await read()).status).toBe(503)
        await server.sql('ALTER ROLE server RESET default_transaction_read_only')
        let status = 503
        for (let tries = 0; status === 503 && tries < 100; tries++) ({ status } = await read())
        expect(status).toBe(200)
      } finally {
        await running.stop()
      }
    },
    120_000,
  )
})
