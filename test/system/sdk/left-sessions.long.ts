import { describe, expect, test } from 'bun:test'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import type { ChildServer } from '../../support/child-server.ts'
import { addApplication } from '../../support/dhole-command.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { databaseSettings } from '../../support/postgres/server-settings.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { startOn } from '../database/two-servers.ts'
import { SharedDatabase } from './shared-database.ts'

const increment = { '.sv': { increment: 1 } }

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
})
