import { describe, expect, test } from 'bun:test'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import type { ChildServer } from '../../support/child-server.ts'
import { addApplication } from '../../support/dhole-command.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { databaseSettings } from '../../support/postgres/server-settings.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { Random } from '../crash/random.ts'
import { startOn } from '../database/two-servers.ts'
import { SharedDatabase } from './shared-database.ts'

const increment = { '.sv': { increment: 1 } }
const SEED = Number(process.env['LEFT_SEED'] ?? 7)
const ROUNDS = Number(process.env['LEFT_ROUNDS'] ?? 8)
const CLIENTS = 24

const valueAt = async (server: Pick<ChildServer, 'call'>, target: string) =>
  JSON.parse((await server.call('GET', target)).text) as unknown

/** Number of sessions that are stored in the database of some settings. */
async function storedIn({ DATABASE_URL: url = '', DATABASE_SCHEMA: schema }: Readonly<Record<string, string>>) {
  const database = await PostgresDatabase.open(schema === undefined ? { url } : { url, schema })
  try {
    return (await database.lanes.query('SELECT FROM session')).length
  } finally {
    await database.close()
  }
}

/** A client that comes again when its server is gone, and the ends that it wanted counted. */
class Comer {
  readonly name: string
  readonly #random: Random
  #former = ''
  #sessions = 0
  /** Names of ends that were acknowledged, and of those that may have been. */
  readonly kept: string[] = []
  readonly doubtful: string[] = []

  constructor(name: string, random: Random) {
    this.name = name
    this.#random = random
  }

  /** One session: it wants some ends counted, and leaves, or its server does. */
  async live(server: ChildServer): Promise<void> {
    const parameters = this.#former === '' ? 'v=5&ns=app' : `v=5&ns=app&ls=${this.#former}`
    const client = new SdkClient(server, parameters)
    const hello = await client.hello.promise.catch(() => undefined)
    // Its server is gone.
    if (hello === undefined) return await Bun.sleep(100)
    const session = ++this.#sessions
    this.#former = String(hello['s'])
    for (let each = 0; each < 1 + this.#random.below(4); each++) {
      const end = `${this.name}-${session}-${each}`
      const answer = await client.request('o', { p: `/ends/${end}`, d: increment }).catch(() => undefined)
      if (answer?.status === 'ok') this.kept.push(end)
      else this.doubtful.push(end)
    }
    // It leaves, or stays until its server is gone, or comes to another one without having left.
    const choice = this.#random.below(3)
    if (choice === 0) client.cut()
    await Bun.sleep(this.#random.below(50))
    if (choice === 1) await client.closed.promise
  }
}

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'what clients of ended processes wanted', () => {
  test('is written by another one in its time', async () => {
    await using database = await SharedDatabase.create()
    const [one, two] = await Promise.all([database.start(), database.start()])
    await using watcher = await SdkClient.connect(two)
    await watcher.request('q', { p: '/ends', h: '' })
    watcher.take()
    const client = await SdkClient.connect(one)
    await client.request('o', { p: '/ends', d: increment })
    await one.kill()
    expect(await watcher.first(1)).toEqual(['d /ends 1'])
    expect(await database.counts()).toEqual({ sessions: 0, values: 0 })
  })

  test('is written once when the process was only stopped', async () => {
    await using database = await SharedDatabase.create()
    const [one, two] = await Promise.all([database.start(), database.start()])
    await using watcher = await SdkClient.connect(two)
    await watcher.request('q', { p: '/ends', h: '' })
    watcher.take()
    const clients = await Promise.all(Array.from({ length: 20 }, () => SdkClient.connect(one)))
    await Promise.all(clients.map((client) => client.request('o', { p: '/ends', d: increment })))
    one.signal('SIGSTOP')
    await watcher.first(1)
    // The other one is at it.
    one.signal('SIGCONT')
    for (const { closed } of clients) expect((await closed.promise).code).toBe(1001)
    await one.stop()
    expect((await watcher.first(20)).at(-1)).toBe('d /ends 20')
    expect(await valueAt(two, '/ends.json')).toBe(20)
  })

  test('is written before the next one serves when all were killed', async () => {
    await using database = await SharedDatabase.create()
    const [one, two] = await Promise.all([database.start(), database.start()])
    for (const server of [one, two]) {
      const client = await SdkClient.connect(server)
      await client.request('o', { p: '/ends', d: increment })
    }
    await Promise.all([one.kill(), two.kill()])
    const next = await database.start()
    expect(await valueAt(next, '/ends.json')).toBe(2)
  })

  test('is written in an application that no other process has open', async () => {
    const settings = { ...databaseSettings(), FAILED_CREDENTIALS: '0' }
    const [one, two] = await Promise.all([startOn(settings), startOn(settings)])
    try {
      const { secret } = await addApplication(one.process.dataDir, 'shop', '--open')
      const client = await SdkClient.connect(one, 'v=5&ns=shop')
      await client.request('o', { p: '/ends', d: increment })
      one.process.kill('SIGKILL')
      await one.process.exited
      // Nothing but the process itself opens it.
      while ((await storedIn(settings)) > 0) await Bun.sleep(100)
      const target = `/ends.json?ns=shop&auth=${encodeURIComponent(secret)}`
      expect(await valueAt(two, target)).toBe(1)
    } finally {
      await Promise.all([one.process.stop(), two.process.stop()])
    }
  })

  test('is written once, however processes end while clients come and go', async () => {
    const random = new Random(SEED)
    await using database = await SharedDatabase.create()
    const servers = await Promise.all([database.start(), database.start(), database.start()])
    const any = () => servers[random.below(servers.length)] as ChildServer
    const comers = Array.from({ length: CLIENTS }, (_, at) => new Comer(`c${at}`, random.fork()))
    let isOver = false
    const living = comers.map(async (comer) => {
      while (!isOver) await comer.live(any())
    })
    for (let round = 0; round < ROUNDS; round++) {
      await Bun.sleep(300 + random.below(700))
      const at = random.below(servers.length)
      const server = servers[at] as ChildServer
      if (random.below(3) === 0) await server.stop()
      else await server.kill()
      // Most often it is found as it would be found after ten seconds, at times while the process may be alive for all others.
      if (random.below(3) > 0) await database.forgetOwners()
      servers[at] = await database.start()
    }
    isOver = true
    await Promise.all(servers.slice(1).map((server) => server.kill()))
    await (servers[0] as ChildServer).stop()
    await Promise.all(living)
    const last = await database.start()
    const ends = (await valueAt(last, '/ends.json')) as Readonly<Record<string, number>>
    expect(await database.counts()).toEqual({ sessions: 0, values: 0 })
    const kept = comers.flatMap((comer) => comer.kept)
    expect(kept.filter((end) => ends[end] !== 1)).toEqual([])
    const known = new Set([...kept, ...comers.flatMap(({ doubtful }) => doubtful)])
    expect(Object.entries(ends).filter(([end, count]) => count !== 1 || !known.has(end))).toEqual([])
    expect(kept.length).toBeGreaterThan(CLIENTS)
  }, 300_000)
})
