import { expect, test } from 'bun:test'
import { connect } from 'node:tls'
import { clientOf } from '../../support/https-server.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { spawnServer } from '../../support/server-process.ts'

const MEBIBYTE = 1024 * 1024
const SOCKETS = 20
const SENT_BYTES = 14 * MEBIBYTE
/** Bytes that are sent in one turn, so that other clients of this process answer pings meanwhile. */
const PIECE_BYTES = MEBIBYTE / 4
const MAX_TRANSFER_BYTES = 64 * MEBIBYTE
/** What is kept is read from the memory of the process, which tells it roughly. */
const MOST_FRAMES = Math.floor(MAX_TRANSFER_BYTES / SENT_BYTES) + 1
const MOST_MESSAGES = Math.floor((2 * MAX_TRANSFER_BYTES) / SENT_BYTES) + 1
const KEY = 'dGhlIHNhbXBsZSBub25jZQ=='

const FIREBASE = '/.ws?v=5&ns=app'
const WILDDOG = '/.ws/?v=1.0&EIO=3&transport=websocket'
const PING = 0x89
/** Masked, empty. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])

interface Beginning {
  /** The first byte of the frame. */
  readonly first: number
  /** Bytes that the frame says it has. */
  readonly bytes: number
  readonly answersPings: boolean
  /** Number of clients that may stay. */
  readonly mostKept: number
}

const FRAME: Beginning = { first: 0x81, bytes: SENT_BYTES + MEBIBYTE, answersPings: false, mostKept: MOST_FRAMES }
/** A whole frame that is the first part of a message. */
const FRAGMENT: Beginning = { first: 0x01, bytes: SENT_BYTES, answersPings: true, mostKept: MOST_MESSAGES }

test.each([
  ['their frames', FIREBASE, FRAME],
  ['their frames', WILDDOG, FRAME],
  ['their messages, and answer pings,', FIREBASE, FRAGMENT],
  ['their messages, and answer pings,', WILDDOG, FRAGMENT],
])('clients that never end %s of %s are cut off by what the process takes', async (_, path, beginning) => {
  await using server = await spawnServer({ MAX_TRANSFER_BYTES: String(MAX_TRANSFER_BYTES) })
  const ca = await Bun.file(server.certificate).text()
  const port = Number(new URL(server.url).port)
  await using honest = await SdkClient.connect(clientOf(port, ca))
  let left = SOCKETS
  const few = Promise.withResolvers<void>()
  const begun = Array.from({ length: SOCKETS }, async () => {
    await begin(port, ca, path, beginning)
    if (--left <= beginning.mostKept) few.resolve()
  })
  await few.promise
  expect((await honest.request('g', { p: '/', q: {} })).status).toBe('ok')
  // Those that are left end with the server.
  await server.stop()
  await Promise.all(begun)
})

/** Opens a WebSocket and sends the beginning of a message. Resolves when the connection has ended. */
async function begin(port: number, ca: string, path: string, beginning: Beginning): Promise<void> {
  const socket = connect({ host: '127.0.0.1', servername: 'localhost', port, ca, ALPNProtocols: ['http/1.1'] })
  socket.on('error', () => {})
  // It may be cut off while others are still being opened.
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const headers = ['Host: localhost', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13']
  socket.write(`${[`GET ${path} HTTP/1.1`, ...headers, `Sec-WebSocket-Key: ${KEY}`].join('\r\n')}\r\n\r\n`)
  await Promise.race([new Promise((resolve) => socket.once('data', resolve)), closed])
  let isSent = false
  socket.on('data', (data: Buffer) => {
    // A pong in the middle of a frame would be part of it.
    if (beginning.answersPings && isSent && data.includes(PING)) socket.write(PONG)
  })
  // Masked by zeros, with its length in 64 bits.
  const head = Buffer.alloc(14)
  head.writeUInt16BE((beginning.first << 8) | 0xff)
  head.writeBigUInt64BE(BigInt(beginning.bytes), 2)
  socket.write(head)
  for (let sent = 0; sent < SENT_BYTES; sent += PIECE_BYTES) {
    await Promise.race([new Promise((resolve) => socket.write(Buffer.alloc(PIECE_BYTES, 'x'), resolve)), closed])
  }
  isSent = true
  await closed
}
