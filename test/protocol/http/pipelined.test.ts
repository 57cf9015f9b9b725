import { expect, test } from 'bun:test'
import { fileTest } from '../../support/engine.ts'
import { startInProcess } from '../../support/https-server.ts'
import { withServer } from '../../support/with-server.ts'

const server = withServer(() => startInProcess())

const LONG = `"${'x'.repeat(200_000)}"`

/** Requests that are answered later than they arrive: each behind one that waits too. */
const WAITING = [
  ['a PUT', request('PUT /a.json', '"first"')],
  ['a PUT of a long body', request('PUT /a.json', LONG)],
  ['a POST', request('POST /a.json', '1')],
  ['a PATCH', request('PATCH /a.json', '{"b":1}')],
  ['a DELETE', request('DELETE /a.json')],
  ['a write that is refused', request('PUT /a.json?writeSizeLimit=tiny', LONG)],
] as const

function request(line: string, body = '', header = ''): string {
  return `${line} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n${header}\r\n${body}`
}

const bodiesOf = (text: string) =>
  text.split(/(?=HTTP\/1\.1 )/).map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4))

fileTest('no read waits', 'requests that are answered at once are answered in their order', async () => {
  await server.call('PUT', '/order.json', { body: '[1,2,3]' })
  const lines = ['GET /order/0.json', 'GET /order/1.json', 'GET /order/2.json']
  const sent = lines.map((line, at) => request(line, '', at === 2 ? 'Connection: close\r\n' : '')).join('')
  expect(bodiesOf(await server.raw(sent))).toEqual(['1', '2', '3'])
})

test.each(WAITING)('behind %s the server answers all requests or closes the connection', async (_, first) => {
  await server.call('PUT', '/b.json', { body: '"second"' })
  const answer = await server.raw(first + request('GET /b.json') + request('GET /b.json', '', 'Connection: close\r\n'))
  if (answer === 'closed') return
  // Never the answer of another request.
  const [, second, third] = bodiesOf(answer)
  expect([second ?? '"second"', third ?? '"second"']).toEqual(['"second"', '"second"'])
})

test('a write whose connection was closed so is whole, and its key tells what it did', async () => {
  const write = request('PUT /once.json', '{"a":{"b":1},"c":2}', 'Idempotency-Key: "one"\r\n')
  await server.raw(write + request('GET /b.json', '', 'Connection: close\r\n'))
  const again = await server.call('PUT', '/once.json', {
    body: '{"a":{"b":1},"c":2}',
    headers: { 'Idempotency-Key': '"one"' },
  })
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((await server.call('GET', '/once.json')).text).toBe('{"a":{"b":1},"c":2}')
})
