import { describe, expect, test } from 'bun:test'
import { startInProcess } from '../../support/https-server.ts'
import { withServer } from '../../support/with-server.ts'
import { EnginePollingClient, packetsOf, payload } from './engine-polling.ts'

const MAX_BYTES = 200_000
const server = withServer(() => startInProcess({ limits: { maxWriteBytes: MAX_BYTES } }))
const BINARY = 'application/octet-stream'
const CLOSE = ['1']

/** Bodies that are no payload, or whose packets are none of the protocol. */
const BODIES: readonly (readonly [string, string | readonly number[]])[] = [
  ['a length beyond the end', '9:2'],
  ['a length of nothing', '0:'],
  ['a length below nothing', '-1:2'],
  ['a length that is no number', 'x:2'],
  ['a length in another notation', '1e0:2'],
  ['a length that no body has', '99999999999:2'],
  ['no length', '2'],
  ['digits without end', '1'.repeat(10_000)],
  ['a good packet, and then rubbish', '1:2rubbish'],
  ['a packet of an unknown type', '1:9'],
  ['a second first packet', '1:0'],
  ['an upgrade of nothing', '1:5'],
  ['a message without an event', '4:4abc'],
  ['a message that is no JSON', payload('42["wd",{]')],
  ['a message that is no message', payload('42["wd",7]')],
  ['a message that is deep', payload(`42["wd",${'['.repeat(5000)}${']'.repeat(5000)}]`)],
  ['a message that is too long', payload(`42["wd","${'x'.repeat(MAX_BYTES + 2000)}"]`)],
  ['too many packets', '1:6'.repeat(100_001)],
  ['bytes of another kind', [1, 1, 255, 50]],
  ['a digit that is none', [0, 10, 255, 50]],
  ['a length without end', [0, 1]],
  ['bytes beyond the end', [0, 9, 255, 50]],
  ['bytes without a length', [0, 255, 50]],
]

describe('what is no packet ends its connection, and no other', () => {
  test.each(BODIES)('by polling: %s', async (_, body) => {
    const [bad, good] = [await EnginePollingClient.open(server), await EnginePollingClient.open(server)]
    const held = bad.poll()
    const isText = typeof body === 'string'
    const { status } = await bad.post(isText ? body : new Uint8Array(body), isText ? undefined : BINARY)
    expect(status).toBe(200)
    expect(packetsOf((await held).text)).toEqual(CLOSE)
    expect((await bad.poll()).status).toBe(400)
    await good.request(1, 's', {})
    expect(packetsOf((await good.poll()).text)).toEqual(['42["wd",{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}]'])
  })

  test.each([
    ['a frame of bytes', new Uint8Array([52, 50]), 'packets are text'],
    ['a packet of an unknown type', '9', 'a packet has an unknown type'],
    ['an empty packet', '', 'a packet has an unknown type'],
    ['a message without an event', '4abc', 'a packet has no event'],
    ['a message that is no JSON', '42["wd",{]', 'a message is not understood'],
    ['a message that is too long', `42["wd","${'x'.repeat(MAX_BYTES + 2000)}"]`, 'the message is too long'],
  ] as const)('by WebSocket: %s', async (_, frame, expected) => {
    const { socket, closed } = await open('')
    socket.send(frame)
    expect(await closed).toEqual({ code: 1002, reason: expected })
  })

  test.each(['2', '5', '42["wd",{}]'])('a WebSocket that begins with %s takes no connection over', async (first) => {
    const polled = await EnginePollingClient.open(server)
    const { socket, closed } = await open(`&sid=${polled.id}`)
    socket.send(first)
    expect((await closed).code).toBe(1002)
    await polled.request(1, 's', {})
    expect(packetsOf((await polled.poll()).text)).toHaveLength(1)
  })
})

test('a body longer than any write is refused', async () => {
  const client = await EnginePollingClient.open(server)
  const { status } = await client.post(payload(`4${'x'.repeat(3 * MAX_BYTES)}`))
  expect(status).toBe(400)
})

test.each([
  ['an unknown id', 'GET', 'EIO=3&transport=polling&sid=none', 400],
  ['packets for an unknown id', 'POST', 'EIO=3&transport=polling&sid=none', 400],
  ['a WebSocket for an unknown id', 'GET', 'EIO=3&transport=websocket&sid=none', 400],
  ['another version', 'GET', 'EIO=4&transport=polling', 400],
  ['another transport', 'GET', 'EIO=3&transport=flashsocket', 400],
  ['no parameters', 'GET', '', 400],
  ['packets before the connection', 'POST', 'EIO=3&transport=polling', 405],
  ['a WebSocket without an upgrade', 'GET', 'EIO=3&transport=websocket', 404],
  ['a callback that is a script', 'GET', 'EIO=3&transport=polling&j=alert', 400],
])('%s is refused', async (_, method, parameters, status) => {
  const body = method === 'POST' ? '1:2' : undefined
  expect((await server.call(method, `/.ws/?${parameters}`, { body })).status).toBe(status)
})

test('packets after the end of a connection are refused', async () => {
  const client = await EnginePollingClient.open(server)
  await client.post('1:1')
  expect((await client.post('1:2')).status).toBe(400)
})

test('a second request takes the place of the one that is held', async () => {
  const client = await EnginePollingClient.open(server)
  const [first, second] = [client.poll(), client.poll()]
  await client.post('1:2')
  const answers = await Promise.all([first, second])
  expect(answers.flatMap(({ text }) => packetsOf(text)).toSorted()).toEqual(['3', '6'])
})

test('a browser without other means sends forms and loads scripts', async () => {
  const client = await EnginePollingClient.open(server)
  const put = JSON.stringify({ t: 'd', d: { r: 1, a: 'p', b: { p: '/script', d: '狗\n\\n<' } } })
  const packet = Buffer.from(`42["wd",${put}]`).toString('latin1')
  const written = payload(packet).replaceAll('\\n', '\\\\n')
  await client.post(new URLSearchParams({ d: written }).toString(), 'application/x-www-form-urlencoded', '&j=0')
  const { text, headers } = await client.poll('&j=0')
  expect(headers.get('content-type')).toStartWith('application/javascript')
  const called = new Function('___eio', text)
  const seen: string[] = []
  called([(payloadText: string) => seen.push(...packetsOf(payloadText))])
  expect(seen).toEqual(['42["wd",{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}]'])
  expect(JSON.parse((await server.call('GET', '/script.json')).text)).toBe('狗\n\\n<')
})

test('pages of other sites may poll, and send bytes', async () => {
  const headers = { Origin: 'https://example.org' }
  const { headers: allowed } = await server.call('OPTIONS', '/.ws/?EIO=3&transport=polling', { headers })
  const { headers: answered } = await server.call('GET', '/.ws/?EIO=3&transport=polling', { headers })
  for (const each of [allowed, answered]) {
    expect(each.get('access-control-allow-origin')).toBe('https://example.org')
    expect(each.get('access-control-allow-credentials')).toBe('true')
  }
  expect(allowed.get('access-control-allow-headers')).toBe('Content-Type')
})

/** Opens a WebSocket. */
async function open(parameters: string) {
  const options = { tls: { ca: server.ca } } as unknown as string[]
  const url = `wss://localhost:${server.port}/.ws/?v=1.0&EIO=3&transport=websocket${parameters}`
  const socket = new WebSocket(url, options)
  const closed = Promise.withResolvers<{ readonly code: number; readonly reason: string }>()
  const opened = Promise.withResolvers<void>()
  socket.onopen = () => opened.resolve()
  socket.onclose = ({ code, reason }) => closed.resolve({ code, reason })
  await opened.promise
  return { socket, closed: closed.promise }
}
