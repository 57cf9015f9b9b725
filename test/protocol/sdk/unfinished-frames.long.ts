import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:tls'
import { clientOf } from '../../support/https-server.ts'
import { SdkClient } from '../../support/sdk-client.ts'
import { spawnServer } from '../../support/server-process.ts'

const MEBIBYTE = 1024 * 1024
const SOCKETS = 12
/** Of each frame all but its end is sent. */
const FRAME_BYTES = 15 * MEBIBYTE
const SENT_BYTES = 14 * MEBIBYTE
const MAX_TRANSFER_BYTES = 64 * MEBIBYTE
const KEY = 'dGhlIHNhbXBsZSBub25jZQ=='

test.each(['/.ws?v=5&ns=app', '/.ws/?v=1.0&EIO=3&transport=websocket'])(
  'clients of %s that never end their frames are cut off before they hold more than all clients may',
  async (path) => {
    await using server = await spawnServer({ MAX_TRANSFER_BYTES: String(MAX_TRANSFER_BYTES) })
    const ca = await Bun.file(server.certificate).text()
    const port = Number(new URL(server.url).port)
    await using honest = await SdkClient.connect(clientOf(port, ca))
    const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => beginFrame(port, ca, path)))
    // What the frames take is read from the memory of the process, which tells it roughly.
    const kept = Math.floor(MAX_TRANSFER_BYTES / SENT_BYTES) + 1
    let left = SOCKETS
    await new Promise<void>((resolve) => {
      for (const { closed } of sockets) {
        void closed.then(() => {
          if (--left <= kept) resolve()
        })
      }
    })
    expect((await honest.request('g', { p: '/', q: {} })).status).toBe('ok')
    for (const { socket } of sockets) socket.destroy()
  },
)

/** Opens a WebSocket and sends all of a frame but its end. */
async function beginFrame(port: number, ca: string, path: string) {
  const socket = connect({ host: '127.0.0.1', servername: 'localhost', port, ca, ALPNProtocols: ['http/1.1'] })
  socket.on('error', () => {})
  // It may be cut off while others are still being opened.
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const headers = ['Host: localhost', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13']
  socket.write(`${[`GET ${path} HTTP/1.1`, ...headers, `Sec-WebSocket-Key: ${KEY}`].join('\r\n')}\r\n\r\n`)
  await Promise.race([once(socket, 'data'), closed])
  // A masked text frame: its length in 64 bits, and a mask of zeros.
  const head = Buffer.alloc(14)
  head.writeUInt16BE(0x81ff)
  head.writeBigUInt64BE(BigInt(FRAME_BYTES), 2)
  socket.write(head)
  socket.write(Buffer.alloc(SENT_BYTES, 'x'))
  return { socket, closed }
}
