/** Servers of two versions on one PostgreSQL, and an upgrade from one to the other while they are used. */
import '../../support/long-lane.ts'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import program from '../../../package.json' with { type: 'json' }
import { newestVersion } from '../../../src/store/postgres/schema/migrations.ts'
import { spawnDhole } from '../../support/dhole-command.ts'
import { SECRET } from '../../support/https-server.ts'
import { laterVersion } from '../../support/later-version.ts'
import { databaseUrl, whyNoPostgres } from '../../support/postgres/cluster.ts'
import { databaseSettings } from '../../support/postgres/server-settings.ts'
import { clientOfProcess, type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { type TempDir, tempDir } from '../../support/temp-dir.ts'
import { Listener } from '../cluster/clients/listener.ts'
import { ask, type Server } from '../cluster/clients/sender.ts'
import { Random } from '../crash/random.ts'

const WIDENING = `CREATE TABLE "planted" ("tree" integer PRIMARY KEY NOT NULL, "text" text);
--> statement-breakpoint
ALTER TABLE "log" ADD COLUMN "planted" text;
--> statement-breakpoint
ALTER TABLE "node" ADD COLUMN "planted" integer DEFAULT 7 NOT NULL;
`
const NARROWING = '-- narrowing\nDROP TABLE "planted";\n'
const WRITERS = 6
/** Writes that are acknowledged between two steps of the upgrade. */
const BETWEEN = 150

/** Clients that write keys of their own to any server, each until it is acknowledged. */
class Load {
  readonly acknowledged: string[] = []
  readonly problems: string[] = []
  readonly servers = new Map<ServerProcess, Server>()
  readonly #random = new Random(7)
  readonly #working: Promise<unknown>
  #isOver = false

  constructor() {
    this.#working = Promise.all(Array.from({ length: WRITERS }, (_, at) => this.#write(`w${at}`)))
  }

  any(): Server {
    const servers = [...this.servers.values()]
    const server = servers[this.#random.below(servers.length)]
    if (server === undefined) throw new Error('no server')
    return server
  }

  async add(process: ServerProcess): Promise<ServerProcess> {
    this.servers.set(process, await clientOfProcess(process))
    return process
  }

  /** No request is sent to a server any more, and it stops when those under way are answered. */
  async remove(process: ServerProcess): Promise<void> {
    process.kill('SIGTERM')
    await process.exited
    this.servers.delete(process)
  }

  /** Resolves when so many more writes are acknowledged. */
  async goOn(): Promise<void> {
    const end = this.acknowledged.length + BETWEEN
    while (this.acknowledged.length < end) await Bun.sleep(5)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#working
  }

  async #write(writer: string): Promise<void> {
    for (let count = 0; !this.#isOver; count++) {
      const key = `${writer}-${count}`
      while (!(await this.#put(key))) await Bun.sleep(5)
      this.acknowledged.push(key)
    }
  }

  async #put(key: string): Promise<boolean> {
    if (this.servers.size === 0) return false
    const target = `/load/${key}.json?auth=${encodeURIComponent(SECRET)}`
    const answer = await ask(this.any(), 'PUT', target, { body: '1', headers: { 'Idempotency-Key': key } })
    if (answer !== undefined && ![200, 503].includes(answer.status)) this.problems.push(`${key}: ${answer.status}`)
    return answer?.status === 200
  }
}

describe.skipIf(whyNoPostgres !== undefined)(`an upgrade${whyNoPostgres ? `: ${whyNoPostgres}` : ''}`, () => {
  const settings = { ...databaseSettings(), APP_SECRET: SECRET }
  let dir: TempDir
  let [wider, narrower] = ['', '']

  beforeAll(async () => {
    dir = await tempDir()
    wider = laterVersion(dir, { version: '8.1.0', migrations: [['planted_wide', WIDENING]] })
    const both = [
      ['planted_wide', WIDENING],
      ['planted_narrow', NARROWING],
    ] as const
    narrower = laterVersion(dir, { version: '8.2.0', migrations: both })
  })

  afterAll(() => dir[Symbol.asyncDispose]())

  const dhole = (main: string | undefined, ...args: string[]) => spawnDhole(args, settings, '', [], main)

  test('of two servers, one after the other under load: no acknowledged write and no event is lost', async () => {
    const load = new Load()
    const old = await Promise.all([spawnServer(settings), spawnServer(settings)])
    for (const each of old) await load.add(each)
    const random = new Random(11)
    const listeners = Array.from({ length: 3 }, () => new Listener('/load', random.fork(), () => load.any()))
    for (const listener of listeners) listener.start()
    await load.goOn()
    // Something is read for long: the change of the tables waits, and nothing waits behind it for long.
    const reader = await openSnapshot(settings)
    const stuck = await spawnDhole(['migrate'], { ...settings, DATABASE_WAIT_MS: '500' }, '', [], wider)
    expect([stuck.status, stuck.stderr]).toEqual([
      2,
      expect.stringContaining('a table is in use by a long transaction'),
    ])
    await load.goOn()
    await reader.close()
    expect((await dhole(wider, 'migrate', '--check')).stdout).toBe('to do: planted_wide\n')
    for (const each of old) {
      const next = await load.add(await spawnServer(settings, { main: wider }))
      expect(next.output()).not.toMatch(/"level":[56]0/)
      await load.goOn()
      await load.remove(each)
      await load.goOn()
    }
    // An older one can still be started.
    const again = await load.add(await spawnServer(settings))
    await load.goOn()
    await load.stop()
    for (const listener of listeners) {
      const { length } = load.acknowledged
      const end = performance.now() + 20_000
      while (keysOf(listener).length < length && performance.now() < end) await Bun.sleep(10)
      await listener.stop()
    }
    const written = load.acknowledged.toSorted()
    expect(load.problems).toEqual([])
    for (const server of load.servers.values()) {
      const { text } = await server.call('GET', `/load.json?auth=${encodeURIComponent(SECRET)}`)
      expect(Object.keys(JSON.parse(text) as object).toSorted()).toEqual(written)
    }
    for (const listener of listeners) {
      expect(listener.problems).toEqual([])
      expect(keysOf(listener).toSorted()).toEqual(written)
      expect(listener.resumed).toBeGreaterThan(0)
    }
    const seen = await dhole(undefined, 'doctor', '--data-dir', again.dataDir)
    expect(seen.stdout).toMatch(/^warning {2}servers: of several versions: .*8\.1\.0/m)
    expect(seen.stdout).toMatch(/^ok {7}tables: those of a later version, which this one can use/m)
    for (const each of load.servers.keys()) await each.stop()
  })

  test('ends the use of the tables by older versions only when none is alive', async () => {
    const asked = await dhole(narrower, 'migrate')
    const waits = 'to do with --finish, when no server of an older version runs: planted_narrow\n'
    expect([asked.status, asked.stdout]).toEqual([0, waits])
    const older = await spawnServer(settings, { main: wider })
    const refused = await dhole(narrower, 'migrate', '--finish')
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/: servers of older versions are alive: 8\.1\.0 on \S+; stop them first\n$/),
    ])
    await older.stop()
    const done = await dhole(narrower, 'migrate', '--finish')
    expect([done.status, done.stdout]).toEqual([
      0,
      expect.stringMatching(
        RegExp(`^done: planted_narrow\\nthe tables .* are up to date \\(version ${newestVersion() + 2}\\)\\n$`),
      ),
    ])
    const line = (own: string) =>
      expect.stringMatching(
        RegExp(
          `^dhole: cannot use the database .*: the tables of .* need dhole 8\\.2\\.0 or later; this is ${own}\\n$`,
        ),
      )
    for (const [main, own] of [
      [undefined, program.version],
      [wider, '8.1.0'],
    ] as const) {
      const start = { ...settings, PORT: '0', DATA_DIR: dir.file('older'), LOG_LEVEL: 'warn' }
      const { status, stderr } = await spawnDhole(['serve'], start, '', [], main)
      expect([status, stderr]).toEqual([2, line(own)])
    }
    const newest = await spawnServer(settings, { main: narrower })
    await newest.stop()
  })
})

/** Keys that a listener was told of, each as often as it was. */
function keysOf({ told }: Listener): string[] {
  return told.flatMap(({ path, data }) => (path === '/' ? Object.keys(data ?? {}) : [path.slice(1)]))
}

/** A transaction that has read the log, and stays open. */
async function openSnapshot({ DATABASE_SCHEMA: schema = '' }: Readonly<Record<string, string>>) {
  const folder = new URL(databaseUrl() ?? '').searchParams.get('host')
  const place = folder === null ? { url: databaseUrl() } : { path: `${folder}/.s.PGSQL.5432`, username: 'dhole' }
  const client = new SQL({ adapter: 'postgres', database: 'postgres', ...place, max: 1 } as SQL.Options)
  const [read, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = client.begin(async (statements) => {
    await statements.unsafe(`SELECT count(*) FROM ${schema}.log`)
    read.resolve()
    await closing.promise
  })
  await Promise.race([read.promise, ended])
  const close = async () => {
    closing.resolve()
    await ended
    await client.close({ timeout: 0 })
  }
  return { close }
}
