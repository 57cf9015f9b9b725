import { expect, test } from 'bun:test'
import { connect } from 'node:tls'
import { openSource } from '../../support/event-source.ts'
import type { Answer } from '../../support/https-server.ts'
import { longTest } from '../../support/lane.ts'
import { callPlain, OWNER, startWatched, type WatchedServer } from './watched-server.ts'

const NAMED = { 'X-Request-Id': 'mine' }

/** What refuses a request, and what is counted of it then. */
const RATED: readonly (readonly [method: string, target: string, operation: string, code: string])[] = [
  ['GET', '/a.json', 'get', 'quota'],
  ['PUT', '/a.json', 'put', 'quota'],
  ['POST', '/.auth/customTokenToIdToken.json', 'token', 'quota'],
  ['GET', '/api/v2/app/status', 'sms-status', 'sms-too-often'],
]

test.each(['RATE_PER_ADDRESS', 'RATE_PER_APP'])(
  'what %s refuses is counted and named, and whoever watches is answered all the same',
  async (setting) => {
    await using server = await startWatched({ [setting]: '1', HTTP_PORT: '0' })
    const plain = server.origin('plain HTTP')
    for (const [method, target, operation, code] of RATED) {
      const name = `dhole_errors_total{code="${code}"}`
      const ended = `dhole_requests_total{operation="${operation}",status="4xx"}`
      const before = await server.scrape()
      const body = method === 'GET' ? undefined : '{}'
      const ask = () => server.call(method, target, { headers: NAMED, body })
      const refusal = await refused(ask, 429)
      expect({ target, id: refusal.headers.get('x-request-id') }).toEqual({ target, id: 'mine' })
      const after = await server.scrape()
      expect({ target, errors: (after.get(name) ?? 0) - (before.get(name) ?? 0) }).toEqual({ target, errors: 1 })
      expect((after.get(ended) ?? 0) - (before.get(ended) ?? 0)).toBeGreaterThanOrEqual(1)
    }
    for (let count = 0; count < 10; count++) {
      for (const path of ['/health', '/ready']) {
        expect((await server.call('GET', path)).status).toBe(200)
        expect((await callPlain(plain + path)).status).toBe(200)
      }
      expect((await server.call('GET', '/metrics', { headers: OWNER })).status).toBe(200)
    }
  },
)

/** Asks until it is refused: time passes meanwhile, and with it comes more that may be asked. */
async function refused(ask: () => Promise<Answer>, status: number): Promise<Answer> {
  let answer = await ask()
  for (let count = 0; answer.status !== status && count < 100; count++) answer = await ask()
  expect(answer.status).toBe(status)
  return answer
}

longTest('what finds no place or comes too slowly is counted and named', async () => {
  await using server = await startWatched({ MAX_STREAMS: '1', TRANSFER_TIMEOUT_S: '1', MAX_TRANSFER_BYTES: '1000000' })
  await using stream = await openSource(server, '/a.json')
  await stream.next()
  const second = await server.call('GET', '/a.json', { headers: { ...NAMED, Accept: 'text/event-stream' } })
  expect([second.status, second.headers.get('x-request-id')]).toEqual([503, 'mine'])
  const long = await server.call('PUT', '/a.json', { headers: NAMED, body: JSON.stringify('x'.repeat(3_000_000)) })
  expect([long.status, long.headers.get('x-request-id')]).toEqual([503, 'mine'])
  const slow = await answerTo(
    server,
    'PUT /a.json HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\nContent-Length: 100\r\n\r\n"x',
  )
  expect(slow).toStartWith('HTTP/1.1 408')
  expect(slow.toLowerCase()).toContain('\r\nx-request-id: mine\r\n')
  const counted = await server.scrape()
  expect(counted.get('dhole_errors_total{code="too-busy"}')).toBe(2)
  expect(counted.get('dhole_errors_total{code="body-too-slow"}')).toBe(1)
  expect(counted.get('dhole_requests_total{operation="stream",status="5xx"}')).toBe(1)
  expect(counted.get('dhole_requests_total{operation="put",status="5xx"}')).toBe(1)
  expect(counted.get('dhole_requests_total{operation="put",status="4xx"}')).toBe(1)
})

/** The first that comes back on a connection of its own. */
async function answerTo({ port, ca }: WatchedServer, text: string): Promise<string> {
  const answer = Promise.withResolvers<string>()
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' }, () => socket.write(text))
  socket.on('data', (bytes: Buffer) => answer.resolve(bytes.toString('latin1')))
  socket.on('error', answer.reject)
  socket.on('close', () => answer.resolve('closed'))
  const first = await answer.promise
  socket.destroy()
  return first
}
