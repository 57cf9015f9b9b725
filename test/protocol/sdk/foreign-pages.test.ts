import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type HttpsServer, SECRET, startInProcess } from '../../support/https-server.ts'
import { RawSocket } from '../../support/raw-socket.ts'

type Headers = Readonly<Record<string, string>>

let server: HttpsServer

beforeAll(async () => {
  server = await startInProcess({ applications: { app: { open: 'loopback', secret: SECRET } } })
  await server.call('PUT', '/a.json', { body: '1' })
})
afterAll(() => server.stop())

const CASES: readonly (readonly [name: string, headers: Headers, isAllowed: boolean])[] = [
  ['a program of this machine', {}, true],
  ['a page of this server', { Origin: 'https://localhost' }, true],
  ['a page of another port of this machine', { Origin: 'http://127.0.0.1:3000' }, true],
  ['a page of another site', { Origin: 'https://evil.example' }, false],
  ['a page without an origin', { Origin: 'null' }, false],
  ['a script of another site', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }, false],
  ['a name of another site that resolves to this machine', { Host: 'evil.example' }, false],
]
const REQUESTS = {
  q: { p: '/a', h: '' },
  g: { p: '/a', q: {} },
  p: { p: '/a', d: 1 },
  m: { p: '/', d: { a: 1 } },
  o: { p: '/a', d: 1 },
  om: { p: '/', d: { a: 1 } },
} as const

function messages(): string[] {
  return Object.entries(REQUESTS).map(([action, body], at) =>
    JSON.stringify({ t: 'd', d: { r: at, a: action, b: body } }),
  )
}

function statusesIn(text: string): readonly string[] {
  return [...text.matchAll(/"r":\d+,"b":\{"s":"(\w+)"/g)].map(([, status = '']) => status)
}

/** The statuses of all requests over a WebSocket. */
async function overSocket(headers: Headers): Promise<readonly string[]> {
  await using socket = await RawSocket.connect(server, { path: '/.ws?v=5', headers })
  for (const message of messages()) socket.text(message)
  const found = () => statusesIn(socket.texts.join(''))
  await socket.until(() => found().length === messages().length)
  return found()
}

/** The same by long polling, where only the first request tells who asks. */
async function byPolling(headers: Headers): Promise<readonly string[]> {
  const ask = async (target: string) => (await server.call('GET', target, { headers })).text
  const [, id, pw] = /"start","([^"]+)","([^"]+)"/.exec(await ask('/.lp?start=t&ser=1&cb=1&v=5')) ?? []
  const pieces = messages().map(
    (message, at) => `&seg${at}=${at}&ts${at}=1&d${at}=${Buffer.from(message).toString('base64url')}`,
  )
  let text = await ask(`/.lp?id=${id}&pw=${pw}&ser=2${pieces.join('')}`)
  while (statusesIn(text).length < messages().length) text += await ask(`/.lp?id=${id}&pw=${pw}&ser=3`)
  await ask(`/.lp?id=${id}&pw=${pw}&disconn=t`)
  return statusesIn(text)
}

describe.each([
  ['a WebSocket', overSocket],
  ['long polling', byPolling],
])('a tree that is open to this machine only, over %s', (_, statusesOf) => {
  test.each(CASES)('and %s', async (_, headers, isAllowed) => {
    const expected = isAllowed ? 'ok' : 'permission_denied'
    expect(new Set(await statusesOf(headers))).toEqual(new Set([expected]))
  })
})
