/** Servers that reach their database through a pooler of transactions. */
import '../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { sessionSettings } from '../../../src/store/postgres/connection/address.ts'
import { runDhole } from '../../support/dhole-command.ts'
import { openSource } from '../../support/event-source.ts'
import { SECRET } from '../../support/https-server.ts'
import { OwnedPostgres } from '../../support/postgres/owned-server.ts'
import { Pooler, whyNoPooler } from '../../support/postgres/pooler.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { clientOfProcess, spawnServer } from '../../support/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** Fewer sessions than the connections of one server. */
const SESSIONS = 6
const AUTH = `auth=${encodeURIComponent(SECRET)}`

describe.skipIf(whyNoPooler !== undefined)(`a pooler${whyNoPooler ? `: ${whyNoPooler}` : ''}`, () => {
  let postgres: OwnedPostgres
  let pooler: Pooler

  beforeAll(async () => {
    postgres = await OwnedPostgres.create()
    pooler = await Pooler.start(postgres, SESSIONS)
  }, 120_000)

  afterAll(async () => {
    await pooler[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
  })

  const common = () => ({
    DATABASE_URL: pooler.url,
    DATABASE_POOLER: 'transaction',
    DATABASE_WAIT_MS: '2000',
    APP_SECRET: SECRET,
  })
  const ways = [
    ['notifications of the database itself', () => ({ DATABASE_LISTEN_URL: postgres.url })],
    ['questions', () => ({ HINTS: 'poll' })],
  ] as const

  async function lineOf(settings: Readonly<Record<string, string>>): Promise<string> {
    await using dir = await tempDir()
    const own = { PORT: '0', DATA_DIR: dir.file('data'), LOG_LEVEL: 'warn' }
    const { status, stderr } = await runDhole(['serve'], { ...common(), ...own, ...settings })
    expect(status).toBe(2)
    return stderr.replace(/^dhole: cannot use the database 127\.0\.0\.1:\d+\/postgres: /, '').trim()
  }

  /** Gives the role the settings of sessions, as the refused start says. */
  async function giveSettings(): Promise<void> {
    const said = await lineOf({ HINTS: 'poll' })
    expect(said).toStartWith('a pooler passes no settings of sessions on, and the role lacks them: ALTER ROLE ')
    const place = new URL(postgres.url)
    const path = `${place.searchParams.get('host')}/.s.PGSQL.5432`
    const client = new SQL({
      adapter: 'postgres',
      path,
      username: 'dhole',
      database: 'postgres',
      max: 1,
    } as SQL.Options)
    for (const statement of said.slice(said.indexOf('ALTER')).split('; ')) await client.unsafe(statement)
    // Sessions that are open do not have them.
    await client.unsafe(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'dhole'",
    )
    await client.close({ timeout: 0 })
  }

  test('that nothing says is one', async () => {
    expect(await lineOf({ DATABASE_POOLER: 'none' })).toBe('a pooler answers there: set DATABASE_POOLER=transaction')
  }, 120_000)

  test('whose sessions lack settings, and that drops notifications', async () => {
    await giveSettings()
    await using silent = await Pooler.start(postgres, SESSIONS, Object.keys(sessionSettings('')))
    expect(await lineOf({ DATABASE_LISTEN_URL: silent.url })).toBe(
      'notifications do not arrive, as through a pooler: set DATABASE_LISTEN_URL to the address of the database itself, or HINTS=poll',
    )
  }, 120_000)

  test('that ignores settings of sessions, and that nothing says is one', async () => {
    await using silent = await Pooler.start(postgres, SESSIONS, Object.keys(sessionSettings('')))
    const said = await lineOf({ DATABASE_URL: silent.url, DATABASE_POOLER: 'none', DATABASE_SCHEMA: 'another' })
    expect(said).toEndWith(`the role lacks them: ALTER ROLE "dhole" IN DATABASE "postgres" SET search_path = 'another'`)
  }, 120_000)

  test('in the way of a copy', async () => {
    await using dir = await tempDir()
    const said = await runDhole(['copy', '--from', pooler.url, '--to', dir.file('data'), '--yes'], {
      ...common(),
      HINTS: 'poll',
    })
    expect([said.status, said.stderr]).toEqual([2, expect.stringContaining('set DATABASE_LISTEN_URL')])
  }, 120_000)

  test.each(ways)(
    'two servers with %s',
    async (_, way) => {
      const settings = { ...common(), ...way(), DATABASE_SCHEMA: 'dhole' }
      await using one = await spawnServer(settings)
      await using other = await spawnServer(settings)
      const [writer, reader] = [await clientOfProcess(one), await clientOfProcess(other)]
      await using stream = await openSource(reader, `/a.json?${AUTH}`)
      await stream.next()
      for (let at = 0; at < 20; at++) {
        const puts = [0, 1, 2, 3].map((list) => writer.call('PUT', `/a/${list}.json?${AUTH}`, { body: String(at) }))
        for (const { status } of await Promise.all(puts)) expect(status).toBe(200)
        const { text } = await reader.call('GET', `/a.json?${AUTH}`)
        expect(JSON.parse(text)).toEqual([at, at, at, at])
      }
      const told = async (text: string) => {
        while (stream.cache.plainText !== text) await stream.next()
      }
      await told('[19,19,19,19]')
      const rules = JSON.stringify({ rules: { '.read': true, '.write': false } })
      const put = await writer.call('PUT', `/.settings/rules.json?${AUTH}`, { body: rules })
      expect(put.status).toBe(200)
      expect((await reader.call('PUT', '/a/0.json', { body: '1' })).status).not.toBe(200)
      expect(
        (await reader.call('PUT', `/.settings/rules.json?${AUTH}`, { body: '{"rules":{".read":true,".write":true}}' }))
          .status,
      ).toBe(200)
      // The database starts anew behind the pooler.
      await postgres.kill()
      await postgres.start()
      let status = 503
      for (let tries = 0; status === 503 && tries < 100; tries++) {
        ;({ status } = await writer.call('PUT', '/a/0.json', { body: '7' }))
      }
      expect(status).toBe(200)
      expect((await reader.call('GET', '/a/0.json')).text).toBe('7')
      await told('[7,19,19,19]')
      // What a client has left with a server that is killed, the other one writes.
      await using client = await SdkClient.connect(writer)
      expect((await client.request('o', { p: '/a/0', d: 'left' })).status).toBe('ok')
      one.kill('SIGKILL')
      await told('["left",19,19,19]')
    },
    120_000,
  )
})
