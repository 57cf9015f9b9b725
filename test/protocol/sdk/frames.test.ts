import { describe, expect, test } from 'bun:test'
import { SdkClient } from '../../support/sdk-client.ts'
import { withServer } from '../../support/with-server.ts'

const server = withServer()
const SEGMENT = 16_384
const PUT = '{"t":"d","d":{"r":1,"a":"p","b":{"p":"/big","d":"'

test('the hello names the host of the request, the version, the clock and a session', async () => {
  await using client = new SdkClient(server)
  const { ts, v, h, s } = await client.hello.promise
  expect([v, h]).toEqual(['5', `localhost:${server.port}`])
  expect(Number.isInteger(ts)).toBeTrue()
  expect(s).toMatch(/^[\w-]{20,}$/)
})

describe('long messages', () => {
  test('come and go in segments that split no character', async () => {
    await server.call('DELETE', '/.json')
    await using client = await SdkClient.connect(server)
    await client.request('q', { p: '/big', h: '' })
    // Every second unit is half a character, so some end of a segment lies within one.
    for (const lead of ['', 'x']) {
      const text = lead + '🐕'.repeat(40_000)
      // This client cuts blindly, as SDKs do, so what it sends has plain characters only.
      await server.call('PUT', '/big.json', { body: JSON.stringify(text) })
      const { data } = await client.request('g', { p: '/big', q: {} })
      expect(data === text).toBeTrue()
    }
    const { data } = await client.request('p', { p: '/big', d: 'y'.repeat(300_000) })
    expect(data).toBe('')
    expect((await server.call('GET', '/big.json')).text.length).toBe(300_002)
    for (const frame of client.frames) expect(frame.length).toBeLessThanOrEqual(SEGMENT)
    expect(client.frames.filter((frame) => frame === '' || frame === '0')).toEqual([])
  })

  test('may be announced with one segment, and keep-alives come between messages only', async () => {
    await using client = await SdkClient.connect(server)
    client.sendFrame('0')
    client.sendFrame('1')
    client.sendFrame('{"t":"d","d":{"r":9,"a":"s","b":{"c":{}}}}')
    client.sendFrame('0')
    client.sendFrame('{"t":"c","d":{"t":"p","d":{}}}')
    expect(await client.first(2)).toEqual(['answer 9 ok', 'control o'])
  })

  test('keep digits that begin with zeros', async () => {
    await using client = await SdkClient.connect(server)
    const text = `${PUT}${'7'.repeat(SEGMENT - PUT.length)}`
    client.sendFrame('3')
    client.sendFrame(text)
    client.sendFrame('007')
    client.sendFrame('"}}}')
    expect(await client.first(1)).toEqual(['answer 1 ok'])
    expect((await server.call('GET', '/big.json')).text.endsWith('7007"')).toBeTrue()
  })
})

describe('a connection is closed, and no other one disturbed, by', () => {
  const hostile: Readonly<Record<string, readonly (string | Uint8Array<ArrayBuffer>)[]>> = {
    'too long a message, by its number of segments': ['999999'],
    'too long a frame': ['x'.repeat(SEGMENT + 1)],
    'what is not JSON': ['{'],
    'a number where a message should be': ['1', '1'],
    'no object': ['[1]'],
    'an unknown type': ['{"t":"x","d":{}}'],
    'a request without a number': ['{"t":"d","d":{"a":"s","b":{}}}'],
    'a request without an action': ['{"t":"d","d":{"r":1,"b":{}}}'],
    'a body that is no object': ['{"t":"d","d":{"r":1,"a":"s","b":7}}'],
    'binary frames': [new Uint8Array([1, 2, 3])],
    'objects within objects': [`${'{"a":'.repeat(3000)}`],
  }
  for (const [name, frames] of Object.entries(hostile)) {
    test(name, async () => {
      await using other = await SdkClient.connect(server)
      await using client = await SdkClient.connect(server)
      for (const frame of frames) client.sendFrame(frame)
      const { code, reason } = await client.closed.promise
      expect([code, reason === '']).toEqual([name.startsWith('too long') ? 1009 : 1002, false])
      expect((await other.request('s', { c: {} })).status).toBe('ok')
    })
  }
})

describe('a request is answered with an error, and the connection stays, for', () => {
  const cases: readonly (readonly [name: string, action: string, body: unknown, status: string])[] = [
    ['a path that is no text', 'q', { p: 5, h: '' }, 'invalid_path'],
    ['a key with forbidden characters', 'p', { p: '/a$b', d: 1 }, 'invalid_path'],
    ['a path that is too deep', 'p', { p: '/a'.repeat(40), d: 1 }, 'invalid_path'],
    ['a forbidden key in the data', 'p', { p: '/a', d: { 'x.y': 1 } }, 'invalid_data'],
    ['no data', 'p', { p: '/a' }, 'invalid_data'],
    ['a merge of no object', 'm', { p: '/a', d: 5 }, 'invalid_data'],
    ['a merge with paths of which one covers another', 'm', { p: '/a', d: { b: 1, 'b/c': 2 } }, 'invalid_data'],
    ['a query that is no object', 'q', { p: '/a', h: '', t: 1, q: 7 }, 'invalid_data'],
    ['a limit of zero', 'q', { p: '/a', h: '', t: 1, q: { l: 0, vf: 'l' } }, 'invalid_data'],
    ['a tag that is no number', 'q', { p: '/a', h: '', t: 'x', q: { l: 1, vf: 'l' } }, 'invalid_data'],
    ['a credential that is no text', 'auth', { cred: 5 }, 'invalid_token'],
    ['a lone half of a character', 'p', { p: '/a', d: '\ud800' }, 'invalid_data'],
    ['an unknown action', 'zz', {}, 'invalid_data'],
  ]
  for (const [name, action, body, status] of cases) {
    test(name, async () => {
      await using client = await SdkClient.connect(server)
      expect((await client.request(action, body)).status).toBe(status)
      expect((await client.request('s', { c: {} })).status).toBe('ok')
    })
  }
})

test('a plain request is told what the path is for', async () => {
  const { status, text } = await server.call('GET', '/.ws?v=5&ns=app')
  expect(status).toBe(404)
  expect(text).toContain('WebSocket')
})

test('a client that names no application is told so, and to connect no more', async () => {
  await using client = new SdkClient(server, 'v=5&ns=unknown')
  expect(await client.first(1)).toEqual(['control s'])
  expect((await client.closed.promise).code).toBe(1001)
})

test('a socket for a session that there is not sends its client back to long polling', async () => {
  await using client = new SdkClient(server, 'v=5&ns=app&s=unknown')
  expect(await client.first(1)).toEqual(['control r'])
})
