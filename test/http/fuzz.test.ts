import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { errcodes } from '../protocol/errors.ts'
import { EventSource, escapedTarget } from '../support/event-source.ts'
import { type Http2Client, http2Client } from '../support/http2-client.ts'
import { type Answer, type HttpsServer, startServer } from '../support/https-server.ts'

const RUNS = 2000
const RAW_RUNS = 300
const LIMITS = { maxLeafBytes: 200, maxWriteBytes: 4000, maxReadBytes: 100_000, writeNodesPerSecond: 10 }

let server: HttpsServer
let http2: Http2Client

beforeAll(async () => {
  server = await startServer({ limits: LIMITS, storage: { inlineLength: 30 } })
  http2 = http2Client(server.url, server.ca)
})

afterAll(async () => {
  await http2[Symbol.asyncDispose]()
  await server.stop()
})

const anyMethod = fc.constantFrom(
  'GET',
  'HEAD',
  'PUT',
  'PUT',
  'POST',
  'PATCH',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'LOCK',
  'PROPFIND',
)

const anySegment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', '0', '1', '2', '__proto__') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        '',
        '.',
        '..',
        '%2e%2e',
        '%00',
        '%ff',
        '%',
        '%zz',
        '%C3%A9',
        '%2F',
        '$',
        '%23',
        '[',
        'x.y',
        '.priority',
        '.info',
      ],
      ...['.value', '.sv', '%F0%9F%98%80', 'é', '%ED%A0%80', 'a%20b', '+', '\\', '|', '"', 'k'.repeat(800)],
    ),
  },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 5 }).map(percentEncoded) },
)

const anyParameter = fc.oneof(
  fc.constantFrom(
    ...[
      'print=pretty',
      'print=silent',
      'print=x',
      'shallow=true',
      'count=true',
      'format=export',
      'format=x',
      'sv=timestamp',
    ],
    ...[
      'callback=cb',
      'callback=%28',
      'download=a%22b',
      'timeout=1s',
      'timeout=x',
      'writeSizeLimit=tiny',
      'orderBy="$key"',
    ],
    ...[
      'auth=wrong',
      'access_token=wrong',
      'ns=app',
      'ns=other',
      'x-http-method-override=PUT',
      'X-HTTP-Method-Override=x',
    ],
    ...[
      'orderBy="$value"',
      'orderBy="$priority"',
      'orderBy="a/b"',
      'orderBy="$x"',
      'orderBy=%22%2522',
      'orderBy="__proto__"',
    ],
    ...[
      'limitToFirst=1',
      'limitToLast=2',
      'limitToLast=-1',
      'startAt=1,"a"',
      'startAt="a"',
      'startAfter=null',
      'endAt=x',
    ],
    ...['endBefore=[1]', 'endAt="\uD83D"', 'equalTo="a","b"', 'endAt=%22%00%22', 'startAt=1e999'],
    ...['equalTo=null', '_=1', 'auth_variable_override=null', '%zz=%', '&&==', '__proto__=1'],
  ),
  fc.uint8Array({ maxLength: 8 }).map(percentEncoded),
)

/** A query that may well be a legal one, which parameters taken at random seldom are. */
const anyQuery = fc
  .tuple(
    fc.constantFrom('"$key"', '"$value"', '"$priority"', '"a"', '"b/c"', '"0"', '"length"'),
    fc.constantFrom('', 'limitToFirst=1', 'limitToLast=2', 'count=true', 'format=export', 'print=pretty'),
    fc.dictionary(
      fc.constantFrom('startAt', 'startAfter', 'endAt', 'endBefore', 'equalTo'),
      fc.tuple(fc.json({ maxDepth: 0 }), fc.option(fc.string({ maxLength: 2 }), { freq: 3 })),
      { maxKeys: 2 },
    ),
  )
  .map(([order, other, bounds]) => {
    const bound = ([value, key]: [string, string | null]) => (key === null ? value : `${value},${JSON.stringify(key)}`)
    const filters = Object.entries(bounds).map(([name, parts]) => `${name}=${encodeURIComponent(bound(parts))}`)
    return [`orderBy=${order}`, ...filters, other].join('&')
  })

const anyHeader = fc.constantFrom<readonly [string, string]>(
  ['X-Firebase-ETag', 'true'],
  ['if-match', '*'],
  ['if-match', 'null_etag'],
  ['If-None-Match', '"x"'],
  ['X-HTTP-Method-Override', 'PATCH'],
  ['X-HTTP-Method-Override', 'nothing'],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'deflate'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Content-Type', 'multipart/form-data'],
  ['Authorization', 'Bearer wrong'],
  ['Authorization', 'Basic eA=='],
  ['Accept', 'text/event-stream'],
  ['Cookie', 'a=%zz; __proto__=1'],
)

const anyJson = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.constantFrom(
    ...[
      'null',
      '{}',
      '[]',
      '{"a":1,"b":{"c":2}}',
      '["x",null,"y"]',
      '{".value":1,".priority":2}',
      '{".priority":true}',
    ],
    ...['{".sv":"timestamp"}', '{".sv":{"increment":1}}', '{"a/b":1,"c":null}', '{"a":1,"a/b":2}', '{"a/.priority":1}'],
    ...['1e999', '"\\ud800"', '{"":1}', '{"__proto__":{"a":1}}', `"${'x'.repeat(300)}"`, `"${' '.repeat(5000)}"`],
  ),
)

const anyBody = fc.oneof(
  { weight: 6, arbitrary: anyJson.map((json) => new TextEncoder().encode(json)) },
  { weight: 1, arbitrary: anyJson.map((json) => Bun.gzipSync(new TextEncoder().encode(json))) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => new Uint8Array(bytes)) },
)

const anyRequest = fc.record({
  method: anyMethod,
  segments: fc.array(anySegment, { maxLength: 4 }),
  suffix: fc.constantFrom('.json', '.json', '.json', '.json', '/.json', '', '.jso'),
  parameters: fc.oneof(
    { weight: 3, arbitrary: fc.array(anyParameter, { maxLength: 3 }) },
    { weight: 1, arbitrary: anyQuery.map((query) => [query]) },
  ),
  headers: fc.array(anyHeader, { maxLength: 2 }),
  body: anyBody,
})

function percentEncoded(bytes: Uint8Array): string {
  return [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

async function exported(): Promise<string> {
  return (await server.call('GET', '/.json?format=export')).text
}

/** An answer is a legal success or an error of the table, in JSON. */
function expectLegal(method: string, { status, headers, text }: Answer): void {
  expect([200, 204, 304, 400, 401, 403, 404, 405, 412]).toContain(status)
  if (status === 204 || status === 304 || method === 'HEAD' || method === 'OPTIONS') {
    expect(text).toBe('')
    return
  }
  const script = headers.get('content-type') === 'application/javascript; charset=utf-8'
  const json: unknown = JSON.parse(script ? text.replace(/^\/\*\*\/cb\((.*)\);$/s, '$1') : text)
  if (status < 400 || status === 412) return
  const { errcode, message, error, ...rest } = json as Record<string, unknown>
  expect(errcodes.has(Number(errcode))).toBe(true)
  expect([typeof message, typeof error, rest]).toEqual(['string', 'string', {}])
}

/** What a stream begins with, as if it were the answer; or the answer, if none is opened. */
async function beginning(target: string, headers: Readonly<Record<string, string>>, http2: boolean): Promise<Answer> {
  await using source = await EventSource.open(server, escapedTarget(target.toWellFormed()), { headers, http2 })
  const { status } = source
  if (source.headers.get('content-type') !== 'text/event-stream; charset=utf-8') {
    return { status, headers: source.headers, text: await source.text() }
  }
  const { kind, path, data } = await source.next()
  expect({ status, kind, path }).toEqual({ status: 200, kind: 'put', path: '/' })
  return { status, headers: source.headers, text: JSON.stringify(data) }
}

test.each([['HTTP/1.1'], ['HTTP/2']])(
  'whatever is sent over %s: an answer of the protocol, and a refused request changes nothing',
  async (protocol) => {
    const client = protocol === 'HTTP/2' ? http2 : server
    let before = await exported()
    const property = fc.asyncProperty(anyRequest, async ({ method, segments, suffix, parameters, headers, body }) => {
      const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`
      const target = `/${segments.join('/')}${suffix}${query}`
      const writes = method !== 'GET' && method !== 'HEAD'
      const options = { headers: Object.fromEntries(headers), body: writes ? body : undefined }
      const streams = method === 'GET' && options.headers['Accept'] === 'text/event-stream'
      const answer = streams
        ? await beginning(target, options.headers, protocol === 'HTTP/2')
        : await client.call(method, target, options)
      expectLegal(method, answer)
      const after = await exported()
      if (answer.status >= 300 || !writes) expect(after).toBe(before)
      before = after
      // Within the limit of a read, so that the comparison goes on.
      if (after.length > LIMITS.maxReadBytes / 2) {
        await server.call('DELETE', '/.json')
        before = await exported()
      }
    })
    await fc.assert(property, { numRuns: RUNS })
  },
  60_000,
)

test('bytes that are hardly HTTP leave the server standing and the tree as it is', async () => {
  const before = await exported()
  const anyLine = fc.oneof(
    fc.constantFrom(
      'GET /a.json HTTP/1.1',
      'PUT /a.json HTTP/1.1',
      'PRI * HTTP/2.0',
      'Host: x',
      'Content-Length: 99',
      '',
    ),
    fc.constantFrom('Transfer-Encoding: chunked', 'Expect: 100-continue', 'Upgrade: websocket', 'Connection: upgrade'),
    fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  )
  const property = fc.asyncProperty(fc.array(anyLine, { maxLength: 6 }), async (lines) => {
    await server.raw(Buffer.from(lines.map((line) => `${line}\r\n`).join(''), 'latin1'), { cut: true })
  })
  await fc.assert(property, { numRuns: RAW_RUNS })
  expect(await exported()).toBe(before)
}, 60_000)
