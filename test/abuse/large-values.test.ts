import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { canWatch, HOLD_BOUND_MS, startWatchedServer, type WatchedServer } from '../support/watched-server.ts'

/** The same with larger values and more shapes: large-values.long.ts. */
/** What holds the loop by itself does so each time; a collection of garbage falls into one of them. */
const ATTEMPTS = 3

let server: WatchedServer
/** Longest hold of small requests. */
let idleMs = 0

beforeAll(async () => {
  if (!canWatch) return
  server = await startWatchedServer({ DEVELOPMENT: 'true' })
  const small = async () => {
    for (let index = 0; index < 50; index++) await send('PUT', `/small/${index}.json`, '{"text":"small"}')
  }
  await small()
  idleMs = (await server.watch(small)).longestHoldMs
})

afterAll(() => server?.stop())

async function send(
  method: string,
  target: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const answer = await fetch(`${server.url}${target}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    tls: { rejectUnauthorized: false },
  })
  await answer.arrayBuffer()
  return answer.status
}

/** The least that one such request holds the loop for at a stretch, once it has been made before. */
async function holdOf(request: () => Promise<number>, status: number): Promise<number> {
  expect(await request()).toBe(status)
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least >= HOLD_BOUND_MS; attempt++) {
    const { longestHoldMs } = await server.watch(async () => expect(await request()).toBe(status))
    least = Math.min(least, longestHoldMs)
  }
  return least
}

function members<T>(count: number, member: (index: number) => [string, T]): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => member(index))))
}

const user = (index: number): [string, unknown] => [
  `user${index}`,
  { id: index, name: `Name ${index}`, tags: ['a', 'b'] },
]
const withPriority = (index: number): [string, unknown] => [`user${index}`, { '.priority': index, list: [1, 2, index] }]
const USERS = members(20_000, user)

describe.skipIf(!canWatch)('no write holds the event loop', () => {
  test.each<[string, string, number, string, Record<string, string>?]>([
    ['records', 'PUT', 200, USERS],
    ['an array of numbers', 'PUT', 200, `[${'1,'.repeat(70_000)}1]`],
    ['an array of empty objects', 'PUT', 200, `[${'{},'.repeat(90_000)}{}]`],
    ['server values', 'PUT', 200, members(20_000, (index) => [`k${index}`, { '.sv': 'timestamp' }])],
    ['members', 'PATCH', 200, members(10_000, (index) => [`k${index}`, index])],
    ['paths', 'PATCH', 200, members(4_000, (index) => [`${index % 10}/k${index}/${'v'.repeat(400)}`, index])],
    ['a string of quotes', 'PUT', 200, JSON.stringify('"\n'.repeat(3_000_000))],
    ['brackets', 'PUT', 400, '['.repeat(8_000_000)],
  ])('of %s (%s, %i)', async (...[_, method, status, body, headers]) => {
    const request = () => send(method, '/large.json', body, headers)
    expect(await holdOf(request, status)).toBeLessThan(Math.max(HOLD_BOUND_MS, 3 * idleMs))
  })

  test.each<[string, string, string]>([
    ['to', '/listened.json', members(100_000, withPriority)],
    ['below', '/above.json', `{"listened":${members(20_000, withPriority)}}`],
  ])('of records that somebody listens %s', async (_, target, listened) => {
    const ending = new AbortController()
    const stream = await fetch(`${server.url}${target === '/above.json' ? '/above/listened.json' : target}`, {
      headers: { accept: 'text/event-stream' },
      signal: ending.signal,
      tls: { rejectUnauthorized: false },
    })
    const draining = stream.body?.pipeTo(new WritableStream()).catch(() => {})
    const hold = await holdOf(() => send('PUT', `${target}?print=silent`, listened), 204)
    ending.abort()
    await draining
    expect(hold).toBeLessThan(Math.max(HOLD_BOUND_MS, 3 * idleMs))
  })

  test('of 8 M numbers in a gzip body of 15 KB', async () => {
    const body = gzipSync(`[${'1,'.repeat(8_000_000)}1]`)
    const request = () => send('PUT', '/large.json', body, { 'content-encoding': 'gzip' })
    expect(await holdOf(request, 400)).toBeLessThan(Math.max(HOLD_BOUND_MS, 3 * idleMs))
  })
})

describe.skipIf(!canWatch)('no answer holds the event loop', () => {
  beforeAll(async () => {
    await send('PUT', '/users.json', USERS)
    await send('PUT', '/sorted.json', members(15_000, withPriority))
  })

  test.each<[string, string, Record<string, string>?]>([
    ['GET', '/users.json'],
    ['GET', '/users.json?print=pretty'],
    ['HEAD', '/users.json?print=pretty'],
    ['GET', '/users.json?callback=use&print=pretty'],
    ['GET', '/users.json?download=users.json&format=export'],
    ['GET', '/users.json', { 'x-firebase-etag': 'true' }],
    ['GET', '/sorted.json'],
    ['GET', '/sorted.json?format=export&print=pretty'],
    ['GET', '/users.json?orderBy="id"&limitToFirst=15000&print=pretty', { 'x-firebase-etag': 'true' }],
  ])('%s %s', async (...[method, target, headers]) => {
    const request = () => send(method, target, undefined, headers)
    expect(await holdOf(request, 200)).toBeLessThan(Math.max(HOLD_BOUND_MS, 3 * idleMs))
  })
})
