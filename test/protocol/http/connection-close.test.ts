import { beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:tls'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { withServer } from '../../support/with-server.ts'

const server = withServer(() => startInProcess({ docs: true }))

beforeAll(async () => {
  await server.call('PUT', '/small.json', { body: '{"a":1}' })
  await server.call('PUT', '/large.json', { body: JSON.stringify({ text: 'x'.repeat(300_000) }) })
})

/** Start line of a request, its body, and the status it is answered with. */
const REQUESTS: readonly (readonly [request: string, status: number, body?: string])[] = [
  ['GET /small.json', 200],
  ['HEAD /small.json', 200],
  ['GET /small.json?print=pretty', 200],
  ['GET /small.json?print=silent', 204],
  ['GET /large.json', 200],
  [`GET /large.json?format=export&readSizeLimit=unlimited&auth=${encodeURIComponent(SECRET)}`, 200],
  ['PUT /a.json', 200, '1'],
  ['PATCH /a.json', 200, '{"b":1}'],
  ['POST /a.json', 200, '1'],
  ['DELETE /a.json', 200],
  ['OPTIONS /a.json', 204],
  ['PUT /a.json', 400, 'no json'],
  ['TRACE /a.json', 405],
  ['GET /a', 400],
  ['GET /a.json?ns=other', 404],
  ['GET /a.json?auth=wrong', 401],
  ['GET /.settings/rules.json', 403],
  ['GET /health', 200],
  ['GET /swagger', 200],
  ['GET /swagger/json', 200],
  ['GET /swagger/swagger-ui.css', 200],
  ['GET /api/v1/other/status', 404],
]

const headersOf = (text: string) => text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n').slice(1)
const connectionsOf = (text: string) => headersOf(text).filter((line) => /^connection:/i.test(line))

function send([request, , body = '']: (typeof REQUESTS)[number], connection: string): Promise<string> {
  const head = [`${request} HTTP/1.1`, 'Host: localhost', `Connection: ${connection}`, `Content-Length: ${body.length}`]
  return server.raw(`${head.join('\r\n')}\r\n\r\n${body}`)
}

describe('a request with Connection: close', () => {
  test.each(REQUESTS.map((row) => [row] as const))('%j is answered with the same header', async (row) => {
    const [, status] = row
    const answer = await send(row, 'close')
    expect(answer).toStartWith(`HTTP/1.1 ${status} `)
    expect(connectionsOf(answer)).toEqual(['Connection: close'])
  })

  test.each(['Close', 'close, TE', 'TE, CLOSE'])('written %p', async (connection) => {
    expect(connectionsOf(await send(['GET /small.json', 200], connection))).toEqual(['Connection: close'])
  })

  test('opens a stream that says so too', async () => {
    const { port, ca } = server
    const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' })
    socket.write(
      'GET /small.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: text/event-stream\r\n\r\n',
    )
    const [first] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    expect(first.toString()).toStartWith('HTTP/1.1 200 ')
    expect(connectionsOf(first.toString())).toEqual(['Connection: close'])
  })
})

test('other connections stay open and have no such header', async () => {
  // Answered at once: behind a request that waits, Bun closes the connection.
  const two = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, closed\r\n\r\n'
  const last = 'GET /small.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  const answers = (await server.raw(two + two + last)).split(/(?=HTTP\/1\.1 )/)
  expect(answers.map(connectionsOf)).toEqual([[], [], ['Connection: close']])
})

test('HTTP/2 has no such header', async () => {
  const { status, headers } = await server.http2('GET', '/small.json')
  expect([status, headers.get('connection')]).toEqual([200, null])
})
