import { describe, expect, test } from 'bun:test'
import { SECRET } from '../../support/https-server.ts'
import { longTest } from '../../support/lane.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { customToken, nowInSeconds } from '../../support/token.ts'
import { withServer } from '../../support/with-server.ts'

const server = withServer()
const admin = `auth=${encodeURIComponent(SECRET)}`

type Requests = readonly (readonly [action: string, body: unknown])[]

/** Ends a connection after its requests, and waits for what it leaves behind at `/end`. */
async function ending(requests: Requests, before: unknown, end: (client: SdkClient) => void): Promise<unknown> {
  await server.call('PUT', `/.json?${admin}`, { body: JSON.stringify(before) })
  await using watcher = await SdkClient.connect(server)
  await watcher.request('gauth', { cred: SECRET })
  const client = await SdkClient.connect(server)
  for (const [action, body] of requests) await client.request(action, body)
  // Written last.
  await client.request('o', { p: '/end', d: true })
  await watcher.request('q', { p: '/end', h: '' })
  watcher.take()
  end(client)
  await watcher.first(1)
  const { text } = await server.call('GET', `/.json?${admin}`)
  const { end: _, ...rest } = JSON.parse(text)
  return rest
}

const close = (client: SdkClient) => client.close()
const cut = (client: SdkClient) => client.cut()

describe('the end of a connection writes', () => {
  const cases: readonly (readonly [name: string, requests: Requests, before: unknown, after: unknown])[] = [
    ['a value', [['o', { p: '/a', d: { b: 1 } }]], { a: 0, z: 1 }, { a: { b: 1 }, z: 1 }],
    ['a removal', [['o', { p: '/a', d: null }]], { a: 0, z: 1 }, { z: 1 }],
    ['members', [['om', { p: '/a', d: { b: 1, 'c/d': 2 } }]], { a: { x: 1 } }, { a: { x: 1, b: 1, c: { d: 2 } } }],
    [
      'the last of several values of a path',
      [
        ['o', { p: '/a', d: 1 }],
        ['o', { p: '/a', d: 2 }],
      ],
      {},
      { a: 2 },
    ],
    [
      'a part of a value kept above',
      [
        ['o', { p: '/a', d: { b: 1, c: 2 } }],
        ['o', { p: '/a/b', d: 3 }],
      ],
      {},
      { a: { b: 3, c: 2 } },
    ],
    [
      'a value in place of those kept below',
      [
        ['o', { p: '/a/b', d: 1 }],
        ['o', { p: '/a', d: { c: 1 } }],
      ],
      {},
      { a: { c: 1 } },
    ],
    [
      'nothing that is cancelled, at the path and below',
      [
        ['o', { p: '/a/b', d: 1 }],
        ['o', { p: '/c', d: 1 }],
        ['oc', { p: '/a', d: null }],
      ],
      {},
      { c: 1 },
    ],
    [
      'the other children of a value of which a part is cancelled',
      [
        ['o', { p: '/a', d: { b: 1, c: { d: 2, e: 3 } } }],
        ['oc', { p: '/a/c/d', d: null }],
      ],
      { a: { c: { d: 9 } } },
      { a: { b: 1, c: { d: 9, e: 3 } } },
    ],
    ['server values as of then', [['o', { p: '/n', d: { '.sv': { increment: 2 } } }]], { n: 5 }, { n: 7 }],
  ]
  for (const [name, requests, before, after] of cases) {
    test(`${name}, when the client closes it`, async () => {
      expect(await ending(requests, before, close)).toEqual(after)
    })
  }

  test('when it is cut', async () => {
    expect(await ending([['o', { p: '/a', d: 1 }]], {}, cut)).toEqual({ a: 1 })
  })
})

test('what the rules refuse is not kept, and what they refuse later is dropped', async () => {
  const rules = { '.read': true, end: { '.write': true }, a: { '.write': 'data.parent().child("lock").val() == null' } }
  await server.call('PUT', `/.settings/rules.json?${admin}`, { body: JSON.stringify({ rules }) })
  try {
    const after = await ending(
      [
        ['o', { p: '/b', d: 1 }],
        ['o', { p: '/a', d: 1 }],
      ],
      {},
      (client) => {
        void server.call('PUT', `/lock.json?${admin}`, { body: '1' }).then(() => client.close())
      },
    )
    expect(after).toEqual({ lock: 1 })
  } finally {
    await server.call('PUT', `/.settings/rules.json?${admin}`, { body: '{"rules":{".read":true,".write":true}}' })
  }
})

longTest('a client whose credential has expired is written as gone by the user that it was', async () => {
  const rules = { '.read': true, online: { $uid: { '.write': 'auth.uid == $uid' } }, end: { '.write': true } }
  await server.call('PUT', `/.settings/rules.json?${admin}`, { body: JSON.stringify({ rules }) })
  try {
    const token = customToken(SECRET, { uid: 'ann', exp: nowInSeconds() + 4 })
    const requests: Requests = [
      ['auth', { cred: token }],
      ['o', { p: '/online/ann', d: null }],
    ]
    const after = await ending(requests, { online: { ann: true, bob: true } }, (client) => {
      void client.first(4).then((received) => {
        expect(received.at(-1)).toBe('ac expired_token')
        client.close()
      })
    })
    expect(after).toEqual({ online: { bob: true } })
  } finally {
    await server.call('PUT', `/.settings/rules.json?${admin}`, { body: '{"rules":{".read":true,".write":true}}' })
  }
})

test('a session keeps up to 1000 values, whose parts may be taken back, and writes what is left', async () => {
  await server.call('PUT', `/.json?${admin}`, { body: '{}' })
  await using watcher = await SdkClient.connect(server)
  await watcher.request('q', { p: '/end', h: '' })
  watcher.take()
  const client = await SdkClient.connect(server)
  const values = Array.from({ length: 998 }, (_, at) => [`k${at}`, { '.sv': { increment: at } }])
  expect((await client.request('om', { p: '/list', d: Object.fromEntries(values) })).status).toBe('ok')
  await client.request('o', { p: '/long', d: { text: 'x'.repeat(100_000), other: 1 } })
  await client.request('oc', { p: '/long/other' })
  await client.request('o', { p: '/end', d: true })
  expect((await client.request('o', { p: '/more', d: 1 })).status).toBe('unavailable')
  for (const at of [0, 500, 997]) await client.request('oc', { p: `/list/k${at}` })
  client.cut()
  await watcher.first(1)
  const { list, long, ...rest } = JSON.parse((await server.call('GET', `/.json?${admin}`)).text)
  expect(rest).toEqual({ end: true })
  expect(long.text.length).toBe(100_000)
  const kept = values.filter((_, at) => ![0, 500, 997].includes(at)).map(([key], at) => [key, list[key as string], at])
  expect(kept.every(([key, value]) => `k${value}` === key)).toBe(true)
  expect(Object.keys(list).length).toBe(995)
})

test('a client that comes back ends its former session first', async () => {
  await server.call('PUT', '/.json', { body: '{}' })
  const former = await SdkClient.connect(server)
  const { s } = await former.hello.promise
  await former.request('o', { p: '/online', d: null })
  await former.request('p', { p: '/online', d: 1 })
  await using client = await SdkClient.connect(server, `v=5&ns=app&ls=${s}`)
  // What the former session has left behind is written before the hello.
  expect((await server.call('GET', '/online.json')).text).toBe('null')
  await client.request('p', { p: '/online', d: 2 })
  await former.closed.promise
  expect((await server.call('GET', '/online.json')).text).toBe('2')
})

test('what a client has sent before it leaves is carried out, and what it leaves behind after it', async () => {
  await server.call('PUT', '/.json', { body: '{}' })
  await using watcher = await SdkClient.connect(server)
  await watcher.request('q', { p: '/n', h: '' })
  const client = await SdkClient.connect(server)
  // No answer is awaited.
  client.request('p', { p: '/n', d: 1 })
  client.request('o', { p: '/n', d: { '.sv': { increment: 10 } } })
  client.request('p', { p: '/n', d: 2 })
  client.close()
  const seen = await watcher.first(5)
  expect(seen.slice(2)).toEqual(['d /n 1', 'd /n 2', 'd /n 12'])
})
