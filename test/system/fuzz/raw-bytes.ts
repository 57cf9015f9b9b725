import fc from 'fast-check'
import type { FuzzRequest } from './exchange.ts'
import { requestBytes } from './http1-wire.ts'

/** Bytes for a connection, in pieces, and how it ends. */
export interface RawBytes {
  readonly pieces: readonly Uint8Array[]
  readonly ending: 'end' | 'wait' | 'cut'
}

const BODY = '{"a":1}'
const PUT = 'PUT /raw.json HTTP/1.1\r\nHost: localhost\r\n'
const CHUNKED = `${PUT}Transfer-Encoding: chunked\r\n\r\n`
const GET = 'GET /raw.json HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** Ways to get HTTP wrong. */
const WRONG: readonly string[] = [
  'GET\r\n\r\n',
  'GET /a.json\r\n\r\n',
  'GET /a.json HTTP/9.9\r\nHost: localhost\r\n\r\n',
  'GET /a.json HTTP/1.0\r\n\r\n',
  'GET  /a.json  HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET a.json HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET * HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET http://example.org/a.json HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET https://[::1/a.json HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET //a.json HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET /a.json#x HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET /\u00e9.json HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET /\u0000.json HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET /a.json HTTP/1.1\r\n\r\n',
  'GET /a.json HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'GET /a.json HTTP/1.1\nHost: localhost\n\n',
  'GET /a.json HTTP/1.1\r\nHost localhost\r\n\r\n',
  'GET /a.json HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n',
  'GET /a.json HTTP/1.1\r\nHost: localhost\r\n: empty\r\n\r\n',
  'GET /a.json HTTP/1.1\r\nHost: localhost\r\nX y: z\r\n\r\n',
  `GET /a.json HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
  `GET /${'a'.repeat(100_000)}.json HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  `GET /a.json HTTP/1.1\r\nHost: localhost\r\n${'X: y\r\n'.repeat(3000)}\r\n`,
  'GET /a.json HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n',
  'GET /a.json HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n\r\n',
  `${PUT}Content-Length: ${BODY.length + 20}\r\n\r\n${BODY}`,
  `${PUT}Content-Length: 3\r\n\r\n${BODY}`,
  `${PUT}Content-Length: -1\r\n\r\n${BODY}`,
  `${PUT}Content-Length: 99999999999999999999\r\n\r\n${BODY}`,
  `${PUT}Content-Length: 0x7\r\n\r\n${BODY}`,
  `${PUT}Content-Length: 7\r\nContent-Length: 8\r\n\r\n${BODY}`,
  `${PUT}Content-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n${BODY}\r\n0\r\n\r\n`,
  `${PUT}Transfer-Encoding: gzip, chunked\r\n\r\n7\r\n${BODY}\r\n0\r\n\r\n`,
  `${PUT}Transfer-Encoding: x\r\n\r\n${BODY}`,
  `${PUT}Expect: 100-continue\r\nContent-Length: 7\r\n\r\n${BODY}`,
  `${PUT}Expect: nonsense\r\nContent-Length: 7\r\n\r\n${BODY}`,
  `${CHUNKED}7\r\n${BODY}\r\n0\r\n\r\n`,
  `${CHUNKED}7;x=y\r\n${BODY}\r\n0\r\nTrailer: z\r\n\r\n`,
  `${CHUNKED}7\r\n${BODY}\r\n`,
  `${CHUNKED}zz\r\n${BODY}\r\n0\r\n\r\n`,
  `${CHUNKED}ffffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`,
  `${CHUNKED}-1\r\n${BODY}\r\n0\r\n\r\n`,
  `${CHUNKED}3\r\n${BODY}\r\n0\r\n\r\n`,
  `${CHUNKED}0\r\n\r\n`,
  GET.repeat(5),
  `${PUT}Content-Length: 7\r\n\r\n${BODY}${GET}${PUT}Content-Length: 7\r\n\r\n${BODY}${GET}`,
  `GET /raw.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n${GET}`,
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000',
  `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'\u00ff'.repeat(64)}`,
]

const ending = fc.constantFrom<RawBytes['ending']>('end', 'wait', 'cut', 'cut')

/** Bytes that are hardly HTTP: wrong by design, or a good request with some bytes changed. */
export function anyRawBytes(request: fc.Arbitrary<FuzzRequest>): fc.Arbitrary<RawBytes> {
  const wrong = fc.constantFrom(...WRONG).map((text) => Buffer.from(text, 'latin1'))
  // Where answers to HEAD and to others mix, no reader can tell where one ends.
  const notHead = request.filter(({ method }) => method !== 'HEAD')
  const damaged = fc
    .tuple(
      fc.oneof(wrong, notHead.map(requestBytes)),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 }), fc.constantFrom('replace', 'insert', 'cut')), { maxLength: 3 }),
    )
    .map(([bytes, damages]) => damages.reduce(damage, bytes))
  return fc
    .tuple(fc.oneof({ weight: 2, arbitrary: wrong }, damaged), fc.array(fc.nat(), { maxLength: 3 }), ending)
    .map(([bytes, cuts, how]) => ({ pieces: cut(bytes, cuts), ending: how }))
}

function damage(bytes: Buffer, [at, byte, how]: readonly [number, number, string]): Buffer {
  const place = bytes.length === 0 ? 0 : at % bytes.length
  if (how === 'cut') return bytes.subarray(0, place)
  const rest = bytes.subarray(how === 'replace' ? place + 1 : place)
  return Buffer.concat([bytes.subarray(0, place), Buffer.from([byte]), rest])
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = places.map((place) => (bytes.length === 0 ? 0 : place % bytes.length)).toSorted((a, b) => a - b)
  return [...sorted, bytes.length].map((end, at) => bytes.subarray(sorted[at - 1] ?? 0, end))
}
