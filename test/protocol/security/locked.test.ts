import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { EventSource, escapedTarget } from '../../support/event-source.ts'
import { type Http2Client, http2Client } from '../../support/http2-client.ts'
import { type CallOptions, type HttpsServer, SECRET, startInProcess } from '../../support/https-server.ts'
import { someInLanes } from '../../support/lane.ts'
import { customToken } from '../../support/token.ts'

/** Two trees, of which one is empty: whoever may read neither must not be able to tell them apart. */
const TREE = {
  secret: {
    n: 5,
    huge: 1.7e308,
    text: 'sesame',
    list: ['a', 'b'],
    leaf: { '.value': 7, '.priority': 3 },
    people: { ann: { age: 1 }, bob: { age: 2 } },
  },
}
const admin = `auth=${encodeURIComponent(SECRET)}`

let full: HttpsServer
let empty: HttpsServer
let http2: readonly [Http2Client, Http2Client]

beforeAll(async () => {
  full = await startInProcess()
  empty = await startInProcess()
  http2 = [http2Client(full.url, full.ca), http2Client(empty.url, empty.ca)]
})

afterAll(async () => {
  for (const client of http2) await client[Symbol.asyncDispose]()
  await full.stop()
  await empty.stop()
})

async function begin(rules: unknown): Promise<void> {
  for (const server of [full, empty]) {
    const body = JSON.stringify({ rules })
    expect((await server.call('PUT', `/.settings/rules.json?${admin}`, { body })).status).toBe(200)
    expect((await server.call('DELETE', `/.json?${admin}`)).status).toBe(200)
  }
  expect((await full.call('PUT', `/.json?${admin}`, { body: JSON.stringify(TREE) })).status).toBe(200)
}

/** What a client can see of an answer, but for the time and generated keys. */
async function seen(
  call: HttpsServer['call'] | Http2Client['call'],
  [method, target, options]: Asked,
): Promise<readonly unknown[]> {
  // An answer that is an error tells the id of its request, which is made at random unless there is one.
  const named = { ...options, headers: { ...options.headers, 'X-Request-Id': 'the-same' } }
  const { status, text, headers } = await call(method, target, named)
  const told = [...headers].filter(([name]) => name !== 'date').map(([name, value]) => [name, withoutKeys(value)])
  return [status, text, told.sort()]
}

/** A key that is generated is another one each time. */
function withoutKeys(text: string): string {
  return text.replace(/-[-0-9A-Z_a-z]{19} /g, 'a new key ')
}

type Asked = readonly [method: string, target: string, options: CallOptions]

/** Asks both, over both versions of HTTP. @returns the status */
async function compare(asked: Asked): Promise<number> {
  const answers = [
    await seen(full.call, asked),
    await seen(empty.call, asked),
    await seen(http2[0].call, asked),
    await seen(http2[1].call, asked),
  ]
  expect([asked, answers[0]]).toEqual([asked, answers[1]])
  expect([asked, answers[2]]).toEqual([asked, answers[3]])
  expect([asked, answers[0]?.slice(0, 1)]).toEqual([asked, answers[2]?.slice(0, 1)])
  return Number(answers[0]?.[0])
}

const PATHS = [
  '/',
  '/secret',
  '/secret/n',
  '/secret/huge',
  '/secret/text',
  '/secret/list/0',
  '/secret/leaf/.priority',
  '/secret/people',
]

const QUERIES = [
  '',
  'shallow=true',
  'shallow=true&limitToFirst=1',
  'count=true',
  'orderBy="$key"&count=true',
  'orderBy="age"&equalTo=2',
  'orderBy="$value"&limitToLast=1',
  'orderBy="$priority"&startAt=3',
  'format=export',
  'print=pretty',
  'print=silent',
  'callback=f',
  'download=x',
  'timeout=1ms',
  'x-http-method-override=DELETE',
]

const READERS: readonly (readonly [who: string, credential: string])[] = [
  ['nobody', ''],
  ['a user', `auth=${customToken(SECRET, { uid: 'ann' })}`],
  ['a user whose token asks why', `access_token=${customToken(SECRET, { uid: 'ann', debug: true })}`],
  ['an admin in the place of nobody', `${admin}&auth_variable_override=null`],
  ['nobody in the place of an admin', 'auth_variable_override={"uid":"root","token":{"admin":true}}'],
]

function targetOf(path: string, ...parameters: readonly string[]): string {
  return escapedTarget(`${path}.json?${parameters.filter((parameter) => parameter !== '').join('&')}`)
}

describe('where nothing may be read, nothing can be told apart', () => {
  beforeAll(() => begin({}))

  test.each(someInLanes(READERS, 2))('%s reads', async (_, credential) => {
    const headers: readonly Readonly<Record<string, string>>[] = [{}, { 'X-Firebase-ETag': 'true' }]
    for (const path of PATHS) {
      for (const query of QUERIES) {
        for (const each of headers) {
          for (const method of ['GET', 'HEAD']) {
            expect(await compare([method, targetOf(path, credential, query), { headers: each }])).toBeOneOf([401, 403])
          }
        }
      }
    }
  })

  test.each([
    ['a tag to compare', { 'If-None-Match': '*' }],
    ['a stream', { Accept: 'text/event-stream' }],
    ['a stream that goes on', { Accept: 'text/event-stream', 'Last-Event-ID': 'x:0' }],
    ['a stream in place of a write', { Accept: 'text/event-stream', 'X-HTTP-Method-Override': 'GET' }],
  ] as const)('reads with %s', async (_, headers) => {
    const method = 'X-HTTP-Method-Override' in headers ? 'POST' : 'GET'
    for (const path of PATHS.filter((each) => !each.endsWith('.priority'))) {
      expect(await compare([method, targetOf(path), { headers }])).toBe(403)
    }
  })

  const BODIES = [
    'null',
    '1',
    '{"a":{".sv":"timestamp"}}',
    '{".sv":{"increment":0}}',
    '{"n":{".sv":{"increment":1}}}',
    '{"n/.priority":1}',
    '{"people/ann":null,"list/0":"x"}',
    '{".value":1,".priority":"x"}',
  ]

  test.each(someInLanes(READERS, 2))('%s writes', async (_, credential) => {
    for (const path of PATHS) {
      for (const body of BODIES) {
        for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
          // Some of them are no writes at all, which does not depend on the tree either.
          expect(await compare([method, targetOf(path, credential), { body }])).toBeWithin(400, 404)
        }
      }
    }
  })

  test.each([['null_etag'], ['*'], ['x'], ['']])('writes on the condition %j', async (condition) => {
    for (const path of PATHS) {
      for (const method of ['PUT', 'DELETE']) {
        const options = { body: '1', headers: { 'if-match': condition, 'X-Firebase-ETag': 'true' } }
        expect(await compare([method, targetOf(path), options])).toBe(401)
      }
    }
  })

  test('an increment that would be too great', async () => {
    const body = '{".sv":{"increment":1.7e308}}'
    expect(await compare(['PUT', '/secret/huge.json', { body }])).toBe(403)
    expect(await compare(['PATCH', '/secret.json', { body: `{"huge":${body}}` }])).toBe(403)
  })

  test('nothing was written', async () => {
    expect((await empty.call('GET', `/.json?${admin}`)).text).toBe('null')
  })
})

describe('where everything may be written and nothing read', () => {
  beforeAll(() => begin({ '.write': true }))

  test.each(['*', 'null_etag', 'x'])('no condition %j tells what is there', async (condition) => {
    for (const path of PATHS) {
      for (const method of ['PUT', 'DELETE']) {
        const options = { body: '1', headers: { 'if-match': condition } }
        expect(await compare([method, targetOf(path), options])).toBe(403)
      }
    }
  })

  test('a priority is answered as if it were set', async () => {
    const headers = { 'X-Firebase-ETag': 'true' }
    for (const asked of [
      ['PUT', '/secret/n/.priority.json', { body: '2', headers }],
      ['PUT', '/secret/people/ann/.priority.json', { body: '"x"' }],
      ['PUT', '/secret/people/ann/.priority.json', { body: 'null' }],
      ['DELETE', '/secret/leaf/.priority.json', {}],
      ['PATCH', '/secret.json', { body: '{"text/.priority":1}' }],
      ['PATCH', '/secret.json', { body: '{"text/.priority":1,"other":{".value":1,".priority":2}}' }],
    ] as const) {
      expect([asked, await compare(asked)]).toEqual([asked, 200])
    }
    expect((await full.call('GET', `/secret/n/.priority.json?${admin}`)).text).toBe('2')
    expect((await full.call('GET', `/secret/text/.priority.json?${admin}`)).text).toBe('1')
    const left = await empty.call('GET', `/.json?${admin}&format=export`)
    expect(left.text).toBe('{"secret":{"other":{".priority":2,".value":1}}}')
  })

  test('a write is answered with what was sent', async () => {
    const headers = { 'X-Firebase-ETag': 'true' }
    for (const [method, body] of [
      ['PUT', '{"a":[1,null],"b":null}'],
      ['PATCH', '{"people/ann":null,"x":1}'],
      ['DELETE', undefined],
    ] as const) {
      const options = method === 'PATCH' ? { body } : { body, headers }
      expect(await compare([method, targetOf('/secret'), options])).toBe(200)
    }
  })
})

test('who may read a place is told that a priority has none', async () => {
  await begin({ '.write': true, open: { '.read': true } })
  expect((await empty.call('PUT', '/open/n/.priority.json', { body: '1' })).status).toBe(400)
  expect((await empty.call('PATCH', '/open.json', { body: '{"n/.priority":1}' })).status).toBe(400)
})

test('a stream is judged however it is asked for', async () => {
  await begin({ open: { '.read': true } })
  for (const [path, status] of [
    ['/open', 200],
    ['/secret', 403],
  ] as const) {
    await using source = await EventSource.open(full, `${path}.json`, { accept: 'TEXT/EVENT-STREAM;q=0.1, */*' })
    expect([path, source.status]).toEqual([path, status])
  }
})
