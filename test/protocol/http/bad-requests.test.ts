import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { withServer } from '../../support/with-server.ts'
import { errorBody, errors } from '../rest/errors.ts'

const KEPT = '{"kept":{"here":true}}'
const CLOSE = 'Host: localhost\r\nConnection: close\r\n'

const server = withServer()

beforeEach(async () => {
  await server.call('PUT', '/.json', { body: KEPT })
})

/** Whatever a test did: nothing is written and the server lives. */
afterEach(async () => {
  const { status, text } = await server.call('GET', '/.json')
  expect([status, text]).toEqual([200, KEPT])
})

/** Ten thousand levels around a number. */
function nested(open: string, close: string): string {
  return `${open.repeat(10_000)}1${close.repeat(10_000)}`
}

/** Status and JSON body of an answer as it came off the wire. */
function parsed(answer: string): { status: number; json: unknown } {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), json: body === '' ? undefined : JSON.parse(body) }
}

describe('bodies cut in the middle', () => {
  test.each([
    ['a length not reached', 'Content-Length: 100\r\n\r\n{"a":1}'],
    ['a valid number that would have gone on', 'Content-Length: 4\r\n\r\n12'],
    ['no byte at all', 'Content-Length: 4\r\n\r\n'],
    ['chunks without an end', 'Transfer-Encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n'],
    ['half a chunk', 'Transfer-Encoding: chunked\r\n\r\n7\r\n{"a"'],
  ])('%s', async (_, rest) => {
    for (const method of ['PUT', 'POST', 'PATCH']) {
      await server.raw(`${method} /cut.json HTTP/1.1\r\n${CLOSE}${rest}`, { cut: true })
    }
    // Answered on a new connection after the cut ones are gone.
    expect((await server.call('GET', '/cut.json')).text).toBe('null')
  })

  test('a client that goes away while a large body is on its way', async () => {
    const head = `PUT /cut.json HTTP/1.1\r\n${CLOSE}Content-Length: 9000002\r\n\r\n"`
    await server.raw(`${head}${'x'.repeat(8_000_000)}`, { cut: true })
  })
})

describe('requests that are no HTTP', () => {
  test.each([
    ['noise', '\u0000\u0001\u0002\r\n\r\n'],
    ['a method nobody knows', `FROBNICATE /a.json HTTP/1.1\r\n${CLOSE}\r\n`],
    ['a NUL in the path', `GET /a\u0000.json HTTP/1.1\r\n${CLOSE}\r\n`],
    ['a NUL in a header', `GET /a.json HTTP/1.1\r\n${CLOSE}X: a\u0000b\r\n\r\n`],
    ['no Host', 'GET /a.json HTTP/1.1\r\nConnection: close\r\n\r\n'],
    [
      'two kinds of length',
      `PUT /a.json HTTP/1.1\r\n${CLOSE}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two lengths', `PUT /a.json HTTP/1.1\r\n${CLOSE}Content-Length: 1\r\nContent-Length: 2\r\n\r\n12`],
    ['a length that is none', `PUT /a.json HTTP/1.1\r\n${CLOSE}Content-Length: -1\r\n\r\n1`],
    [
      'a chunk length that is none',
      `PUT /a.json HTTP/1.1\r\n${CLOSE}Transfer-Encoding: chunked\r\n\r\nzz\r\n1\r\n0\r\n\r\n`,
    ],
  ])('%s is refused by the listener', async (_, request) => {
    const answer = await server.raw(request)
    expect(answer).toMatch(/^(closed|HTTP\/1\.1 (400|501|505) )/)
  })

  test('a flood of headers', async () => {
    const flood = Array.from({ length: 2000 }, (_, index) => `X-${index}: ${'v'.repeat(50)}\r\n`).join('')
    expect(await server.raw(`GET /a.json HTTP/1.1\r\n${CLOSE}${flood}\r\n`)).toMatch(/^(closed|HTTP\/1\.1 431 )/)
    expect((await server.call('GET', '/a.json', { headers: { 'X-Long': 'v'.repeat(100_000) } })).status).toBe(431)
  })

  test('a URL beyond all measure', async () => {
    expect((await server.call('GET', `/${'k'.repeat(100_000)}.json`)).status).toBe(431)
  })
})

describe('unusual requests', () => {
  test.each([
    ['TRACE', `TRACE /a.json HTTP/1.1\r\n${CLOSE}\r\n`],
    ['LOCK', `LOCK /a.json HTTP/1.1\r\n${CLOSE}\r\n`],
  ])('%s is no method of a tree', async (_, request) => {
    const answer = await server.raw(request)
    expect(parsed(answer)).toEqual({ status: 405, json: errorBody(errors.method) })
    expect(answer).toContain('\r\nAllow: GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS\r\n')
  })

  test.each([
    ['HTTP/1.0 without Host', 'GET /kept.json HTTP/1.0\r\n\r\n'],
    ['an empty Host', 'GET /kept.json HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n'],
    ['a Host that is no name', 'GET /kept.json HTTP/1.1\r\nHost: a b<>\r\nConnection: close\r\n\r\n'],
    ['a Host of one letter', 'GET /kept.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['a Host with a path of its own', 'GET /kept.json HTTP/1.1\r\nHost: a/b.json?c=\r\nConnection: close\r\n\r\n'],
    ['a whole URL as target', `GET http://elsewhere/kept.json HTTP/1.1\r\n${CLOSE}\r\n`],
  ])('%s reaches the path that was sent', async (_, request) => {
    expect(parsed(await server.raw(request))).toEqual({ status: 200, json: { here: true } })
  })

  test('a browser with a Host that is no name gets a page only where the path names one', async () => {
    const head = 'Host: ?#@\r\nAccept: text/html\r\nConnection: close\r\n\r\n'
    expect(parsed(await server.raw(`GET /kept.json HTTP/1.1\r\n${head}`))).toEqual({
      status: 200,
      json: { here: true },
    })
    const elsewhere = await server.raw(`GET /kept_kept_kept/swagger HTTP/1.1\r\n${head}`)
    expect(parsed(elsewhere).status).toBe(400)
  })

  test.each([
    ['a dot segment', 'GET /a/../kept.json HTTP/1.0\r\n\r\n'],
    ['an escaped dot segment', 'GET /a/%2e%2e/kept.json HTTP/1.0\r\n\r\n'],
    ['a fragment', `GET /kept#x.json HTTP/1.1\r\n${CLOSE}\r\n`],
  ])('%s in the target as received is no key', async (_, request) => {
    expect(parsed(await server.raw(request))).toEqual({ status: 400, json: errorBody(errors.pathKey) })
  })

  test('raw UTF-8 in the path is the character', async () => {
    await server.call('PUT', '/%C3%A9.json', { body: '1' })
    expect(parsed(await server.raw(`GET /é.json HTTP/1.1\r\n${CLOSE}\r\n`))).toEqual({ status: 200, json: 1 })
    await server.call('DELETE', '/%C3%A9.json')
  })

  test('bytes in the path that are no UTF-8 are the replacement character, as the listener reads them', async () => {
    await server.call('PUT', '/%EF%BF%BD.json', { body: '1' })
    const request = Buffer.from(`GET /\u00ff.json HTTP/1.1\r\n${CLOSE}\r\n`, 'latin1')
    expect(parsed(await server.raw(request))).toEqual({ status: 200, json: 1 })
    await server.call('DELETE', '/%EF%BF%BD.json')
  })
})

describe('what stands behind an unread body', () => {
  const hidden = `PUT /hidden.json HTTP/1.1\r\n${CLOSE}Content-Length: 1\r\n\r\n1`
  const chunked = `Transfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
  const sized = `Content-Length: ${hidden.length}\r\n\r\n${hidden}`

  test.each([
    ['a path without suffix', `PUT /a HTTP/1.1\r\n${CLOSE}${sized}`, 400],
    ['a path without suffix, in chunks', `PUT /a HTTP/1.1\r\n${CLOSE}${chunked}`, 400],
    ['a wrong credential', `PUT /a.json?auth=wrong HTTP/1.1\r\n${CLOSE}${sized}`, 401],
    ['DELETE', `DELETE /none.json HTTP/1.1\r\n${CLOSE}${sized}`, 200],
    ['GET', `GET /none.json HTTP/1.1\r\n${CLOSE}${chunked}`, 200],
    ['OPTIONS', `OPTIONS /none.json HTTP/1.1\r\n${CLOSE}${sized}`, 204],
  ])('%s: is never taken for a request', async (_, request, status) => {
    const answers = await server.raw(request)
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`])
    expect((await server.call('GET', '/hidden.json')).text).toBe('null')
  })

  test('a client that waits to be told to go on', async () => {
    const request = `PUT /waited.json HTTP/1.1\r\n${CLOSE}Expect: 100-continue\r\nContent-Length: 1\r\n\r\n1`
    expect(await server.raw(request)).toMatch(/HTTP\/1\.1 200 OK\r\n/)
    expect((await server.call('DELETE', '/waited.json')).text).toBe('null')
  })
})

describe('bodies that are meant to hurt', () => {
  test.each([
    ['objects', nested('{"k":', '}'), errors.depth],
    ['arrays', nested('[', ']'), errors.depth],
    ['.value in .value', nested('{".value":', '}'), errors.data],
    ['.priority in .priority', nested('{".priority":', '}'), errors.depth],
    ['.sv in .sv', nested('{".sv":', '}'), errors.serverValue],
    ['open brackets', '['.repeat(1_000_000), errors.depth],
    ['open objects', '{"k":'.repeat(1_000_000), errors.depth],
  ])('ten thousand levels and more: %s', async (_, body, error) => {
    for (const method of ['PUT', 'POST']) {
      const answer = await server.call(method, '/deep.json', { body })
      expect([method, answer.status, JSON.parse(answer.text)]).toEqual([method, 400, errorBody(error)])
    }
  })

  test('a PATCH of deep levels, long keys and many segments', async () => {
    const deep = nested('{"k":', '}')
    expect(JSON.parse((await server.call('PATCH', '/.json', { body: `{"a":${deep}}` })).text)).toEqual(
      errorBody(errors.depth),
    )
    const segments = JSON.stringify({ ['a/'.repeat(100_000)]: 1 })
    expect(JSON.parse((await server.call('PATCH', '/.json', { body: segments })).text)).toEqual(
      errorBody(errors.keyLength),
    )
    const slashes = JSON.stringify({ ['/'.repeat(1_000_000)]: 1 })
    expect(JSON.parse((await server.call('PATCH', '/.json', { body: slashes })).text)).toEqual(
      errorBody(errors.keyLength),
    )
  })

  test('prototype keys are only keys', async () => {
    const body =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"hasOwnProperty":3,"toString":{".sv":"timestamp"}}'
    expect((await server.call('PUT', '/proto.json', { body })).status).toBe(200)
    expect((await server.call('GET', '/proto/__proto__/polluted.json')).text).toBe('1')
    expect((await server.call('GET', '/proto/__proto__/none.json')).text).toBe('null')
    expect((await server.call('GET', '/kept/__proto__.json')).text).toBe('null')
    expect((await server.call('GET', '/kept/constructor/name.json')).text).toBe('null')
    await server.call('PATCH', '/proto.json', { body: '{"__proto__/x":{".sv":{"increment":1}},"constructor":null}' })
    expect((await server.call('GET', '/proto/__proto__.json')).text).toBe('{"polluted":1,"x":1}')
    await server.call('PATCH', '/.json', { body: '{"__proto__":null,"proto":null}' })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})
