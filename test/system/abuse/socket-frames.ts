import { BINARY, CONTINUATION, frameOf, PING, TEXT } from '../../support/raw-socket.ts'

const SEGMENT = 16_384
const CLOSE = 8
/** Longest message: the largest body of a write and its envelope, in segments. */
const MOST_SEGMENTS = (16 * 1024 * 1024) / SEGMENT + 1
const MANY = 10_000

/** What clients send, and what becomes of them. */
export interface HostileFrames {
  readonly name: string
  readonly bytes: () => Uint8Array
  /** Code of the close frame; absent where the connection stays. */
  readonly code?: number
  /** Statuses of the first answers, where it stays. */
  readonly answers?: readonly string[]
}

export function text(content: string): Buffer {
  return frameOf(TEXT, content)
}

export function request(number: unknown, action: string, body: unknown): string {
  return JSON.stringify({ t: 'd', d: { r: number, a: action, b: body } })
}

/** A message in segments. */
function segments(content: string): Buffer {
  const count = Math.ceil(content.length / SEGMENT)
  const parts = Array.from({ length: count }, (_, at) => text(content.slice(at * SEGMENT, (at + 1) * SEGMENT)))
  return Buffer.concat([text(String(count)), ...parts])
}

function many(make: (at: number) => Uint8Array): Buffer {
  return Buffer.concat(Array.from({ length: MANY }, (_, at) => make(at)))
}

function withReservedBit(): Buffer {
  const frame = text('x')
  frame.writeUInt8(0xc1, 0)
  return frame
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const STATS = request(1, 's', { c: {} })
const put = (data: string) => `{"t":"d","d":{"r":1,"a":"p","b":{"p":"/hostile","d":${data}}}}`
const query = (member: string) =>
  text(`{"t":"d","d":{"r":1,"a":"q","b":{"p":"/hostile","h":"","t":1,"q":{${member}}}}}`)

/** What is no WebSocket, or no text. */
const FRAMES: readonly HostileFrames[] = [
  { name: 'a binary frame', bytes: () => frameOf(BINARY, STATS), code: 1002 },
  { name: 'a frame without a mask', bytes: () => frameOf(TEXT, STATS, { isMasked: false }), code: 1002 },
  { name: 'a reserved bit', bytes: withReservedBit, code: 1002 },
  { name: 'an unknown kind of frame', bytes: () => frameOf(3, 'x'), code: 1002 },
  { name: 'what is no UTF-8', bytes: () => frameOf(TEXT, Uint8Array.of(0xff, 0xfe)), code: 1007 },
  { name: 'a continuation of nothing', bytes: () => frameOf(CONTINUATION, 'x'), code: 1002 },
  { name: 'a ping that is too long', bytes: () => frameOf(PING, 'x'.repeat(126)), code: 1002 },
  { name: 'half a ping', bytes: () => frameOf(PING, 'x', { isFinal: false }), code: 1002 },
  { name: 'a close code that may not be sent', bytes: () => frameOf(CLOSE, Uint8Array.of(0x03, 0xed)), code: 1002 },
  { name: 'half a close code', bytes: () => frameOf(CLOSE, Uint8Array.of(0x03)), code: 1002 },
  { name: 'a frame above the bound of the listener', bytes: () => text('x'.repeat(70_000)), code: 1009 },
  { name: 'a frame above that of the protocol', bytes: () => text('x'.repeat(SEGMENT + 1)), code: 1009 },
  {
    name: 'a message in two frames of the listener',
    bytes: () =>
      Buffer.concat([frameOf(TEXT, STATS.slice(0, 9), { isFinal: false }), frameOf(CONTINUATION, STATS.slice(9))]),
    answers: ['ok'],
  },
  { name: 'thousands of pings with a payload', bytes: () => many(() => frameOf(PING, 'x'.repeat(100))), answers: [] },
]

/** What is no message. */
const MESSAGES: readonly HostileFrames[] = [
  { name: 'an empty frame', bytes: () => text(''), code: 1002 },
  { name: 'numbers of no segments', bytes: () => Buffer.concat([text('0'), text('000')]), answers: [] },
  { name: 'a number of segments beyond every message', bytes: () => text('999999'), code: 1009 },
  { name: 'a number where a message should be', bytes: () => Buffer.concat([text('1'), text('1')]), code: 1002 },
  {
    name: 'fewer segments than announced, and a message',
    bytes: () => Buffer.concat([text('2'), text(STATS)]),
    code: 1002,
  },
  { name: 'empty segments', bytes: () => Buffer.concat([text('999'), ...Array(999).fill(text(''))]), code: 1002 },
  { name: 'a number in place of a message', bytes: () => text('1234567'), code: 1002 },
  { name: 'an array', bytes: () => text('[1]'), code: 1002 },
  { name: 'brackets', bytes: () => text('['.repeat(SEGMENT)), code: 1002 },
  { name: '16 MB of brackets', bytes: () => segments('['.repeat(16_000_000)), code: 1002 },
  { name: '16 MB of objects', bytes: () => segments('{"a":'.repeat(3_200_000)), code: 1002 },
  { name: '16 MB of quotes', bytes: () => segments('"'.repeat(16_000_000)), code: 1002 },
  { name: '16 MB of spaces', bytes: () => segments(' '.repeat(16_000_000)), code: 1002 },
  {
    name: 'a message that is too long and no request',
    bytes: () => segments('x'.repeat((MOST_SEGMENTS + 2) * SEGMENT)),
    code: 1009,
  },
  { name: 'an unknown type', bytes: () => text('{"t":"x","d":{}}'), code: 1002 },
  { name: 'an unknown control message', bytes: () => text('{"t":"c","d":{"t":"z","d":{}}}'), answers: [] },
  { name: 'a switch that was not asked for', bytes: () => text('{"t":"c","d":{"t":"n","d":{}}}'), answers: [] },
  ...['1.5', '1e300', '"1"', 'null', '[]', '9007199254740993'].map((number) => ({
    name: `a request with the number ${number}`,
    bytes: () => text(`{"t":"d","d":{"r":${number},"a":"s","b":{}}}`),
    code: 1002,
  })),
  { name: 'a body that is no object', bytes: () => text('{"t":"d","d":{"r":1,"a":"s","b":[]}}'), code: 1002 },
]

/** What is answered. */
const REQUESTS: readonly HostileFrames[] = [
  { name: 'a negative number', bytes: () => text(request(-5, 's', {})), answers: ['ok'] },
  { name: 'a number twice', bytes: () => text('{"t":"d","d":{"r":1,"r":2,"a":"z","a":"s","b":{}}}'), answers: ['ok'] },
  {
    name: 'the names of members of objects',
    bytes: () => text(request(1, 'constructor', {})),
    answers: ['invalid_data'],
  },
  {
    name: 'the body of a prototype',
    bytes: () => text('{"t":"d","d":{"r":1,"a":"p","b":{"__proto__":{"p":"/x","d":1}}}}'),
    answers: ['invalid_path'],
  },
  { name: 'data of a prototype', bytes: () => text(put('{"__proto__":{"a":1},"constructor":2}')), answers: ['ok'] },
  { name: 'an order of a prototype', bytes: () => query('"i":"__proto__"'), answers: ['ok'] },
  { name: 'an order of a constructor', bytes: () => query('"i":"constructor"'), answers: ['ok'] },
  {
    name: 'a long query',
    bytes: () => segments(request(1, 'q', { p: '/hostile', t: 1, q: { i: '.value', sp: 'x'.repeat(100_000) } })),
    answers: ['too_big'],
  },
  {
    name: 'a long member of a query that is none',
    bytes: () => segments(request(1, 'q', { p: '/hostile', t: 1, q: { i: '.value', x: 'x'.repeat(100_000) } })),
    answers: ['ok'],
  },
  {
    name: 'a long hash',
    bytes: () => segments(request(1, 'q', { p: '/hostile/none', h: 'x'.repeat(100_000) })),
    answers: ['ok'],
  },
  {
    name: 'a lone half of a character in a path',
    bytes: () => text('{"t":"d","d":{"r":1,"a":"q","b":{"p":"/\\ud800","h":""}}}'),
    answers: ['invalid_data'],
  },
  { name: 'a lone half of a character in data', bytes: () => text(put('"\\udc00"')), answers: ['invalid_data'] },
  { name: 'a lone half of a character in a key', bytes: () => text(put('{"\\udc00":1}')), answers: ['invalid_data'] },
  { name: 'arrays within arrays', bytes: () => text(put(nested(5000))), answers: ['invalid_path'] },
  { name: 'many arrays within arrays', bytes: () => segments(put(nested(500_000))), answers: ['invalid_path'] },
  {
    name: 'arrays within arrays that nothing reads',
    bytes: () => text(`{"t":"d","d":{"r":1,"a":"s","b":{"c":${nested(5000)}}}}`),
    answers: ['ok'],
  },
  { name: 'arrays within arrays in a query', bytes: () => query(`"i":".key","x":${nested(5000)}`), answers: ['ok'] },
  { name: 'too many members', bytes: () => segments(put(`[${'1,'.repeat(3_000_000)}1]`)), answers: ['too_big'] },
  { name: 'a leaf that is too long', bytes: () => segments(put(`"${'x'.repeat(16_000_000)}"`)), answers: ['too_big'] },
  { name: 'a write that is too long', bytes: () => segments(put(`"${'x'.repeat(20_000_000)}"`)), answers: ['too_big'] },
]

/** What comes at once. */
const FLOODS: readonly HostileFrames[] = [
  {
    name: 'thousands of requests',
    bytes: () => many((at) => text(request(at, 's', { c: {} }))),
    answers: ['ok', 'ok'],
  },
  {
    name: 'thousands of pings of the protocol',
    bytes: () => many(() => text('{"t":"c","d":{"t":"p","d":{}}}')),
    answers: [],
  },
  {
    name: 'thousands of reads',
    bytes: () => many((at) => text(request(at, 'g', { p: '/hostile', q: {} }))),
    answers: ['ok', 'ok'],
  },
  {
    name: 'thousands of listens',
    bytes: () => many((at) => text(request(at, 'q', { p: `/l/${at}`, h: '' }))),
    answers: ['ok', 'ok'],
  },
  {
    name: 'thousands of listens and ends of them',
    bytes: () => many((at) => text(request(at, at % 2 === 0 ? 'q' : 'n', { p: `/l/${at >> 1}`, h: '' }))),
    answers: ['ok', 'ok'],
  },
  {
    name: 'thousands of unknown actions',
    bytes: () => many((at) => text(request(at, 'zz', {}))),
    answers: ['invalid_data'],
  },
  {
    name: 'thousands of wrong credentials',
    bytes: () => many((at) => text(request(at, 'auth', { cred: 'x' }))),
    answers: ['invalid_token'],
  },
]

export const HOSTILE_FRAMES = { FRAMES, MESSAGES, REQUESTS, FLOODS } as const
