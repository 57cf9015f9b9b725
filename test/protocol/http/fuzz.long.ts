import '../../support/long-lane.ts'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { EventSource, escapedTarget } from '../../support/event-source.ts'
import { type Answer, startInProcess } from '../../support/https-server.ts'
import { withServer } from '../../support/with-server.ts'
import { anyBody, anyHeader, anyMethod, anyParameter, anyQuery, anySegment } from '../../system/fuzz/tree-pieces.ts'
import { errcodes } from '../rest/errors.ts'

const RUNS = 2000
const RAW_RUNS = 300
const LIMITS = { maxLeafBytes: 200, maxWriteBytes: 4000, maxReadBytes: 100_000, writeNodesPerSecond: 10 }

const server = withServer(() => startInProcess({ limits: LIMITS, storage: { inlineLength: 30 } }))

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
    const call = protocol === 'HTTP/2' ? server.http2 : server.call
    let before = await exported()
    const property = fc.asyncProperty(anyRequest, async ({ method, segments, suffix, parameters, headers, body }) => {
      const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`
      const target = `/${segments.join('/')}${suffix}${query}`
      const writes = method !== 'GET' && method !== 'HEAD'
      const options = { headers: Object.fromEntries(headers), body: writes ? body : undefined }
      const streams = method === 'GET' && options.headers['Accept'] === 'text/event-stream'
      const answer = streams
        ? await beginning(target, options.headers, protocol === 'HTTP/2')
        : await call(method, target, options)
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
  120_000,
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
}, 120_000)
