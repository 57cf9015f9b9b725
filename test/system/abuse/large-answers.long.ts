import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { canWatch, holdBoundMs, startWatchedServer } from '../../support/watched-server.ts'
import { type HoldServer, members, startHoldServer, user } from './hold-server.ts'

/** Parts that the nodes are written in, and members of each. */
const PARTS = 10
const MEMBERS = 100_000
const TEXTS = 12
const TEXT_LENGTH = 6_000_000

let server: HoldServer

beforeAll(async () => {
  if (!canWatch) return
  server = await startHoldServer()
  for (let part = 0; part < PARTS; part++) {
    const numbers = members(MEMBERS, (index) => [`k${part}x${index}`, index])
    expect(await server.send('PATCH', '/large/numbers.json?print=silent', numbers)).toBe(204)
    const users = members(MEMBERS / 2, (index) => [`u${part}x${index}`, [...user(index), 'x'.repeat(40)]])
    expect(await server.send('PATCH', '/large/users.json?print=silent', users)).toBe(204)
  }
  const mixed = members(600, (index) => [`k${index}`, index === 0 ? 'x'.repeat(TEXT_LENGTH) : index])
  expect(await server.send('PUT', '/mixed.json?print=silent', mixed)).toBe(204)
  // The first children say nothing of the length of those behind them.
  expect(
    await server.send(
      'PUT',
      '/texts.json?print=silent',
      members(100, (index) => [`a${index}`, index]),
    ),
  ).toBe(204)
  for (let index = 0; index < TEXTS; index++) {
    const text = JSON.stringify('x'.repeat(TEXT_LENGTH))
    expect(await server.send('PUT', `/texts/b${index}.json?print=silent`, text)).toBe(204)
  }
}, 300_000)

afterAll(() => server?.stop())

/** Opens a stream and reads its first event. */
async function begin(target: string): Promise<number> {
  const ending = new AbortController()
  const { status, body } = await fetch(`${server.url}${target}`, {
    headers: { accept: 'text/event-stream' },
    signal: ending.signal,
    tls: { rejectUnauthorized: false },
  })
  for await (const chunk of body ?? []) if (Buffer.from(chunk.subarray(-2)).toString() === '\n\n') break
  ending.abort()
  return status
}

describe.skipIf(!canWatch)('no answer of tens of megabytes holds the event loop', () => {
  test.each<[string, string, Record<string, string>?]>([
    ['GET', '/large.json'],
    ['HEAD', '/large.json'],
    ['GET', '/large.json', { 'x-firebase-etag': 'true' }],
    ['GET', '/large.json', { 'if-none-match': '*' }],
    ['GET', '/large.json?print=pretty'],
    ['GET', '/large.json?format=export'],
    ['GET', '/large.json?callback=use'],
    ['GET', '/large.json?orderBy="$key"'],
    ['GET', '/large/numbers.json?shallow=true'],
    ['GET', '/large/numbers.json?orderBy="$value"'],
    ['GET', '/texts.json'],
    ['GET', '/mixed.json'],
    ['GET', '/texts.json?orderBy="$key"&startAt="a"'],
  ])(
    '%s %s %p',
    async (...[method, target, headers]) => {
      const status = headers?.['if-none-match'] === undefined ? 200 : 304
      const request = () => server.send(method, target, undefined, headers)
      expect(await server.holdOf(request, status)).toBeLessThan(server.boundMs())
    },
    600_000,
  )

  test.each(['/large.json', '/large.json?format=export', '/large/users.json?orderBy="$key"'])(
    'the beginning of a stream of %s',
    async (target) => {
      expect(await server.holdOf(() => begin(target), 200)).toBeLessThan(server.boundMs())
    },
    600_000,
  )
})

test.skipIf(!canWatch)('the OpenAPI document, made for its first reader, does not hold the event loop', async () => {
  // Made once for each server: there is no second attempt.
  const fresh = await startWatchedServer()
  try {
    const get = async (path: string) => {
      const answer = await fetch(`${fresh.url}${path}`, { tls: { rejectUnauthorized: false } })
      await answer.arrayBuffer()
      return answer.status
    }
    for (let count = 0; count < 50; count++) await get('/a.json')
    const { longestHoldMs } = await fresh.watch(async () => expect(await get('/swagger/json')).toBe(200))
    expect(longestHoldMs).toBeLessThan(holdBoundMs())
  } finally {
    await fresh.stop()
  }
})
