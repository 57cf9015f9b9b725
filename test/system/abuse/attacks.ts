import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'

/** Where to attack, and from which address of this machine. */
interface Target {
  readonly port: number
  readonly from: string
}

/** One way to hold a connection, or what stands behind it. @returns the connection */
export type Attack = (target: Target) => Socket

const HOST = '127.0.0.1'
const DRIP_MS = 2000
const HEAD = 'Host: localhost\r\n'
/** Begins a handshake as every client does, and leaves the rest out. */
const HALF_HELLO = Uint8Array.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])

function tcp(begin: (socket: Socket) => void): Attack {
  return ({ port, from }) => {
    const socket = connectTcp({ host: HOST, port, localAddress: from }, () => begin(socket))
    return reading(socket)
  }
}

function tls(begin: (socket: TLSSocket) => void, protocol = 'http/1.1'): Attack {
  return ({ port, from }) => {
    const where = { host: HOST, port, localAddress: from, servername: 'localhost' }
    const options = { ...where, rejectUnauthorized: false, ALPNProtocols: [protocol] }
    const socket: TLSSocket = connectTls(options, () => begin(socket))
    return reading(socket)
  }
}

/** What comes back does not matter; that the server hangs up does, and is seen only by who reads. */
function reading<S extends Socket>(socket: S): S {
  socket.on('error', () => {})
  socket.on('data', () => {})
  return socket
}

/** Says the same again and again while the connection is there. */
function drip(socket: Socket, bytes: string | Uint8Array, everyMs: number = DRIP_MS): void {
  const timer = setInterval(() => {
    if (socket.writable) socket.write(bytes)
  }, everyMs)
  socket.on('close', () => clearInterval(timer))
}

function repeated(text: string): Attack {
  return tls((socket) => {
    socket.write(text)
    drip(socket, text)
  })
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const END_STREAM = 1
const END_HEADERS = 4
const DATA = 0
const HEADERS = 1
const RESET = 3
const SETTINGS = 4
const PING = 6
const CONTINUATION = 9

function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A block of headers without compression: method, path, scheme and authority. */
function block(method: string, path: string): Buffer {
  const text = (index: number, value: string) => Buffer.from([index, value.length, ...Buffer.from(value)])
  return Buffer.concat([text(0x42, method), text(0x44, path), Buffer.from([0x87]), text(0x41, 'localhost')])
}

function http2(begin: (socket: TLSSocket) => void): Attack {
  return tls((socket) => {
    socket.write(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0)]))
    begin(socket)
  }, 'h2')
}

const MANY_STREAMS = 300
const numbers = Array.from({ length: MANY_STREAMS }, (_, index) => 2 * index + 1)

/**
 * What hostile clients do, by name. `LARGE` is a path with a long answer.
 */
export const attacks = {
  'a connection that says nothing': tcp(() => {}),
  'half a handshake': tcp((socket) => socket.write(HALF_HELLO)),
  'a handshake byte by byte': tcp((socket) => {
    socket.write(HALF_HELLO)
    drip(socket, new Uint8Array(1))
  }),
  'a handshake and nothing more': tls(() => {}),
  'half a request': tls((socket) => socket.write(`GET /a.json HTTP/1.1\r\n${HEAD}X: `)),
  'headers byte by byte': tls((socket) => {
    socket.write(`GET /a.json HTTP/1.1\r\n${HEAD}X: `)
    drip(socket, 'x')
  }),
  'half a body': tls((socket) => socket.write(`PUT /x.json HTTP/1.1\r\n${HEAD}Content-Length: 900000\r\n\r\n"x`)),
  'a body byte by byte': tls((socket) => {
    socket.write(`PUT /x.json HTTP/1.1\r\n${HEAD}Content-Length: 900000\r\n\r\n"`)
    drip(socket, 'x')
  }),
  'chunks byte by byte': tls((socket) => {
    socket.write(`PUT /x.json HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`)
    drip(socket, '1\r\nx\r\n')
  }),
  'a large body that stops before its end': tls((socket) => {
    socket.write(`PUT /x.json HTTP/1.1\r\n${HEAD}Content-Length: 2000000\r\n\r\n`)
    socket.write(Buffer.alloc(1_900_000, ' '))
  }),
  'a large answer that nobody reads': tls((socket) => {
    socket.pause()
    socket.write(`GET /large.json HTTP/1.1\r\n${HEAD}\r\n`)
  }),
  'a stream that nobody reads': tls((socket) => {
    socket.pause()
    socket.write(`GET /large.json HTTP/1.1\r\n${HEAD}Accept: text/event-stream\r\n\r\n`)
  }),
  'what is no request': repeated('NONSENSE\r\n\r\n'),
  'requests that are wrong': repeated(`GET /a%2 HTTP/1.1\r\n${HEAD}\r\n`),
  'wrong credentials': repeated(`GET /a.json?auth=wrong HTTP/1.1\r\n${HEAD}\r\n`),
  'a header that is too long': repeated(`GET /a.json HTTP/1.1\r\n${HEAD}X: ${'x'.repeat(20_000)}\r\n\r\n`),
  'HTTP/2 with pings only': http2((socket) => drip(socket, frame(PING, 0, 0, new Uint8Array(8)))),
  'HTTP/2 settings again and again': http2((socket) =>
    drip(socket, Buffer.concat(Array(100).fill(frame(SETTINGS, 0, 0)))),
  ),
  'HTTP/2 headers without an end': http2((socket) => {
    socket.write(frame(HEADERS, END_STREAM, 1, block('GET', '/a.json')))
    // The listener counts these frames, not their time.
    drip(socket, frame(CONTINUATION, 0, 1, Uint8Array.from([0, 1, 0x61, 1, 0x61])), 200)
  }),
  'an HTTP/2 body byte by byte': http2((socket) => {
    socket.write(frame(HEADERS, END_HEADERS, 1, block('PUT', '/x.json')))
    drip(socket, frame(DATA, 0, 1, Buffer.from('x')))
  }),
  'more HTTP/2 streams than there may be': http2((socket) => {
    const requests = numbers.map((number) => frame(HEADERS, END_HEADERS, number, block('PUT', '/x.json')))
    socket.write(Buffer.concat(requests))
  }),
  'HTTP/2 streams begun and reset': http2((socket) => {
    const request = block('GET', '/large.json')
    const cancel = Uint8Array.from([0, 0, 0, 8])
    const pairs = numbers.flatMap((number) => [
      frame(HEADERS, END_STREAM | END_HEADERS, number, request),
      frame(RESET, 0, number, cancel),
    ])
    socket.write(Buffer.concat(pairs))
  }),
} as const satisfies Readonly<Record<string, Attack>>

export type AttackName = keyof typeof attacks
export const attackNames = Object.keys(attacks) as readonly AttackName[]
