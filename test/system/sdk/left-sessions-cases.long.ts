import '../../support/long-lane.ts'
import { describe, expect, test } from 'bun:test'
import type { ChildServer } from '../../support/child-server.ts'
import { SECRET } from '../../support/https-server.ts'
import { whyNoPostgres } from '../../support/postgres/cluster.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { customToken } from '../../support/token.ts'
import { SharedDatabase } from './shared-database.ts'

const increment = { '.sv': { increment: 1 } }

/** A client that is online, and counts its ends. */
async function online(server: ChildServer): Promise<SdkClient> {
  const client = await SdkClient.connect(server)
  await client.request('o', { p: '/online', d: null })
  await client.request('o', { p: '/ends', d: increment })
  await client.request('p', { p: '/online', d: true })
  return client
}

/** A client that listens to the number of ends, and has been told of it. */
async function watching(server: ChildServer): Promise<SdkClient> {
  const watcher = await SdkClient.connect(server)
  await watcher.request('q', { p: '/ends', h: '' })
  watcher.take()
  return watcher
}

const read = async (server: ChildServer, path: string) =>
  JSON.parse((await server.call('GET', `${path}.json`)).text) as unknown

describe.skipIf(whyNoPostgres !== undefined)(whyNoPostgres ?? 'of several processes on one database', () => {
  test('one that is killed: another one writes what its clients wanted, once', async () => {
    await using database = await SharedDatabase.create()
    const [one, two, three] = await Promise.all([database.start(), database.start(), database.start()])
    await using watcher = await watching(two)
    const clients = await Promise.all(Array.from({ length: 5 }, () => online(one)))
    expect(await database.counts()).toEqual({ sessions: 5, values: 10 })
    await one.kill()
    await Promise.all(clients.map(({ closed }) => closed.promise))
    await database.forgetOwners()
    expect(await watcher.first(5)).toEqual([1, 2, 3, 4, 5].map((n) => `d /ends ${n}`))
    // Written behind all that the two wrote.
    for (const server of [two, three]) await server.call('PUT', '/last.json', { body: '1' })
    expect([await read(two, '/online'), await read(three, '/ends')]).toEqual([null, 5])
    expect(await database.counts()).toEqual({ sessions: 0, values: 0 })
  })

  test('one that is taken for dead and goes on writes nothing again, and its sessions end', async () => {
    await using database = await SharedDatabase.create()
    const [one, two] = await Promise.all([database.start(), database.start()])
    await using watcher = await watching(two)
    const client = await online(one)
    one.signal('SIGSTOP')
    await database.forgetOwners()
    expect(await watcher.first(1)).toEqual(['d /ends 1'])
    one.signal('SIGCONT')
    expect((await client.closed.promise).code).toBe(1001)
    await one.stop()
    expect([await read(two, '/online'), await read(two, '/ends')]).toEqual([null, 1])
    expect(await database.counts()).toEqual({ sessions: 0, values: 0 })
  })

  test('a client that comes to another one has left the first one before it is greeted', async () => {
    await using database = await SharedDatabase.create()
    const [one, two] = await Promise.all([database.start(), database.start()])
    const former = await online(one)
    const { s } = await former.hello.promise
    await using client = await SdkClient.connect(two, `v=5&ns=app&ls=${s}`)
    expect([await read(two, '/online'), await read(two, '/ends')]).toEqual([null, 1])
    await client.request('p', { p: '/online', d: 2 })
    expect((await former.closed.promise).code).toBe(1001)
    await one.stop()
    expect([await read(two, '/online'), await read(two, '/ends')]).toEqual([2, 1])
  })

  test('all that are killed: the next one writes it before it serves', async () => {
    await using database = await SharedDatabase.create()
    const [one, two] = await Promise.all([database.start(), database.start()])
    const clients = await Promise.all([online(one), online(two)])
    await Promise.all([one.kill(), two.kill(), ...clients.map(({ closed }) => closed.promise)])
    await database.forgetOwners()
    for (const _ of [1, 2]) {
      const next = await database.start()
      expect([await read(next, '/online'), await read(next, '/ends')]).toEqual([null, 2])
      await next.kill()
    }
  })

  test('it is written for the user that the client was, and what the rules refuse is dropped', async () => {
    const rules = '{"rules":{".read":true,"users":{"$uid":{".write":"auth.uid == $uid"}},"ends":{".write":true}}}'
    await using database = await SharedDatabase.create(rules)
    const [one, two] = await Promise.all([database.start(), database.start()])
    await using watcher = await watching(two)
    const client = await SdkClient.connect(one)
    await client.request('auth', { cred: customToken(SECRET, { uid: 'ann' }) })
    expect((await client.request('o', { p: '/users/ann', d: 'gone' })).status).toBe('ok')
    expect((await client.request('o', { p: '/users/bob', d: 'gone' })).status).toBe('permission_denied')
    // Judged again for another user.
    const other = await SdkClient.connect(one)
    await other.request('auth', { cred: customToken(SECRET, { uid: 'bob' }) })
    await other.request('o', { p: '/users/bob', d: 'gone' })
    await other.request('auth', { cred: customToken(SECRET, { uid: 'cid' }) })
    await other.request('o', { p: '/ends', d: increment })
    await client.request('o', { p: '/ends', d: increment })
    await one.kill()
    await database.forgetOwners()
    expect(await watcher.first(2)).toEqual(['d /ends 1', 'd /ends 2'])
    expect(await read(two, '/users')).toEqual({ ann: 'gone' })
  })
})
