import { describe, expect, test } from 'bun:test'
import { SECRET } from '../../support/https-server.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { withServer } from '../../support/with-server.ts'

const server = withServer()

/** Requests of one connection, sent in one burst, and all that comes, in its order. */
type Case = readonly [
  name: string,
  before: unknown,
  requests: readonly (readonly [action: string, body: unknown])[],
  expected: readonly string[],
]

const ALL = { i: '.key' }

const cases: readonly Case[] = [
  ['the beginning of a listen before its answer', { a: 1 }, [['q', { p: '/', h: '' }]], ['d / {"a":1}', 'answer 1 ok']],
  ['nothing where nothing is', null, [['q', { p: 'x/y', h: '' }]], ['d /x/y null', 'answer 1 ok']],
  [
    'a set before its answer, once for a listen at the node and one above',
    { a: { b: 1 } },
    [
      ['q', { p: '/a', h: '' }],
      ['q', { p: '/a/b', h: '' }],
      ['p', { p: '/a/b', d: 2 }],
    ],
    ['d /a {"b":1}', 'answer 1 ok', 'd /a/b 1', 'answer 2 ok', 'd /a/b 2', 'answer 3 ok'],
  ],
  [
    'a set at a listen whose wider one has ended',
    { a: { b: 1 } },
    [
      ['q', { p: '/a', h: '' }],
      ['q', { p: '/a/b', h: '' }],
      ['p', { p: '/a/b', d: 2 }],
      ['n', { p: '/a' }],
      ['p', { p: '/a', d: { b: 3, c: 0 } }],
    ],
    [
      ...['d /a {"b":1}', 'answer 1 ok', 'd /a/b 1', 'answer 2 ok', 'd /a/b 2', 'answer 3 ok'],
      ...['answer 4 ok', 'd /a/b 3', 'answer 5 ok'],
    ],
  ],
  [
    'consecutive merges in their order, where one listen is above another',
    null,
    [
      ['q', { p: '/b/b', h: '' }],
      ['q', { p: '/', h: '' }],
      ['m', { p: '/', d: { b: { b: { a: 0 } } } }],
      ['m', { p: '/', d: { b: 'x' } }],
    ],
    [
      ...['d /b/b null', 'answer 1 ok', 'd / null', 'answer 2 ok'],
      ...['m / {"b":{"b":{"a":0}}}', 'm / {"b":"x"}', 'answer 3 ok', 'answer 4 ok'],
    ],
  ],
  [
    'a set above a listen',
    { a: { b: 1 } },
    [
      ['q', { p: '/a/b', h: '' }],
      ['p', { p: '/a', d: { b: 3, c: 4 } }],
    ],
    ['d /a/b 1', 'answer 1 ok', 'd /a/b 3', 'answer 2 ok'],
  ],
  [
    'a merge of several paths as one message',
    { a: { b: 1 } },
    [
      ['q', { p: '/a', h: '' }],
      ['m', { p: '/', d: { 'a/b': 2, 'a/c/d': true, z: 0 } }],
    ],
    ['d /a {"b":1}', 'answer 1 ok', 'm /a {"b":2,"c/d":true}', 'answer 2 ok'],
  ],
  [
    'the resolved increment',
    { n: 5 },
    [
      ['q', { p: '/n', h: '' }],
      ['p', { p: '/n', d: { '.sv': { increment: 3 } } }],
    ],
    ['d /n 5', 'answer 1 ok', 'd /n 8', 'answer 2 ok'],
  ],
  [
    'a child that enters a window, and the one that leaves it',
    { l: { a: 1, b: 2 } },
    [
      ['q', { p: '/l', h: '', t: 7, q: { i: '.value', l: 1, vf: 'r' } }],
      ['p', { p: '/l/c', d: 3 }],
    ],
    ['d /l #7 {"b":2}', 'answer 1 ok', 'm /l #7 {"c":3,"b":null}', 'answer 2 ok'],
  ],
  [
    'a child that comes in when another one is removed',
    { l: { a: 1, b: 2 } },
    [
      ['q', { p: '/l', h: '', t: 1, q: { ...ALL, l: 1, vf: 'l' } }],
      ['p', { p: '/l/a', d: null }],
    ],
    ['d /l #1 {"a":1}', 'answer 1 ok', 'm /l #1 {"b":2,"a":null}', 'answer 2 ok'],
  ],
  [
    'nothing behind the answer to the end of a listen',
    { a: 1 },
    [
      ['q', { p: '/a', h: '' }],
      ['n', { p: '/a' }],
      ['p', { p: '/a', d: 2 }],
    ],
    ['d /a 1', 'answer 1 ok', 'answer 2 ok', 'answer 3 ok'],
  ],
  [
    'a priority alone',
    { a: { '.value': 1, '.priority': 2 } },
    [
      ['q', { p: '/a', h: '' }],
      ['p', { p: '/a/.priority', d: 3 }],
    ],
    ['d /a {".priority":2,".value":1}', 'answer 1 ok', 'd /a/.priority 3', 'answer 2 ok'],
  ],
  [
    'answers of all kinds in the order of their requests',
    { a: { b: 1 } },
    [
      ['s', { c: { 'sdk.js.12': 1 } }],
      ['g', { p: '/a', q: {} }],
      ['p', { p: '/a/b', d: 2 }],
      ['unknown', {}],
      ['g', { p: '/a', q: {} }],
      ['p', { p: '/bad.key', d: 2 }],
      ['o', { p: '/gone', d: 1 }],
      ['oc', { p: '/gone', d: null }],
    ],
    ['ok', 'ok', 'ok', 'invalid_data', 'ok', 'invalid_path', 'ok', 'ok'].map(
      (status, index) => `answer ${index + 1} ${status}`,
    ),
  ],
]

describe('one connection gets', () => {
  for (const [name, before, requests, expected] of cases) {
    test(name, async () => {
      await server.call('PUT', '/.json', { body: JSON.stringify(before) })
      await using client = await SdkClient.connect(server)
      const answers = requests.map(([action, body]) => client.request(action, body))
      await Promise.all(answers)
      expect(client.received).toEqual([...expected])
    })
  }
})

test('what makes a conditional write stale is told before it is refused', async () => {
  await server.call('PUT', '/.json', { body: '{"n":1}' })
  await using client = await SdkClient.connect(server)
  await client.request('q', { p: '/n', h: '' })
  await server.call('PUT', '/n.json', { body: '2' })
  // Of `1`, which is no longer there; then of `2`.
  const stale = await client.request('p', { p: '/n', d: 5, h: 'YPVfR2bXt/lcDjiQZ8pOkAd3qkQ=' })
  expect(stale.status).toBe('datastale')
  expect(client.take()).toEqual(['d /n 1', 'answer 1 ok', 'd /n 2', 'answer 2 datastale'])
  expect((await server.call('GET', '/n.json')).text).toBe('2')
})

test('a conditional write is done where the client knows what is there', async () => {
  await server.call('PUT', '/.json', { body: '{"n":{"a":1}}' })
  await using client = await SdkClient.connect(server)
  const done = await client.request('p', { p: '/n', d: { a: 2 }, h: 'gIphxiFGusLh2VwSNVKSvNu90m4=' })
  expect(done.status).toBe('ok')
  expect((await client.request('p', { p: '/n', d: 3, h: '' })).status).toBe('datastale')
  expect((await client.request('p', { p: '/new', d: 3, h: '' })).status).toBe('ok')
  expect((await server.call('GET', '/.json')).text).toBe('{"n":{"a":2},"new":3}')
})

test('a number that JavaScript clients hash wrongly can be written conditionally too', async () => {
  await server.call('PUT', '/.json', { body: '{"n":63.99999999999999}' })
  await using client = await SdkClient.connect(server)
  const done = await client.request('p', { p: '/n', d: 64, h: 'PJmtFwMdaAcDnQ3acc9zgNHNABM=' })
  expect(done.status).toBe('ok')
})

test('what stands behind a credential waits until it is verified', async () => {
  await server.call('PUT', `/.settings/rules.json?auth=${encodeURIComponent(SECRET)}`, {
    body: '{"rules":{".read":false,".write":false}}',
  })
  try {
    await using client = await SdkClient.connect(server)
    const [, listened, written] = await Promise.all([
      client.request('gauth', { cred: SECRET }),
      client.request('q', { p: '/', h: '' }),
      client.request('p', { p: '/a', d: 1 }),
    ])
    expect([listened.status, written.status]).toEqual(['ok', 'ok'])
  } finally {
    await server.call('PUT', `/.settings/rules.json?auth=${encodeURIComponent(SECRET)}`, {
      body: '{"rules":{".read":true,".write":true}}',
    })
  }
})
