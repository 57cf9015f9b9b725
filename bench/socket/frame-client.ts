/** A WebSocket of a client over a TLS socket, whose frames are made and read here: thousands of them fit in one process. */
import type { Socket } from 'bun'

/** What happens on one connection. */
export interface FrameHandler {
  /** The payload of a text frame: the bytes from `start` to `end`, which are there until the call returns. */
  frame(bytes: Buffer, start: number, end: number): void
  lost(): void
}

const HEAD_END = '\r\n\r\n'
const FINAL = 0x80
const MASKED = 0x80
const TEXT = 1
const PING = 9
const PONG = 10
const OPCODE_BITS = 15
const LENGTH_BITS = 127
/** Lengths that say that the length follows, in two bytes or in eight. */
const IN_TWO = 126
const IN_EIGHT = 127
const MASK_BYTES = 4

/** A frame of a client. Its mask is zero, so that the payload is what it says. */
export function clientFrame(text: string): Buffer {
  return frameOf(TEXT, Buffer.from(text))
}

function frameOf(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload
  if (length > 0xffff) throw new Error('Longer messages are sent in segments')
  const head = length < IN_TWO ? [MASKED | length] : [MASKED | IN_TWO, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([FINAL | opcode, ...head]), Buffer.alloc(MASK_BYTES), payload])
}

export class FrameConnection {
  /** Of frames, with their heads. */
  bytesReceived = 0
  readonly #handler: FrameHandler
  #socket: Socket<FrameConnection> | undefined
  /** What has arrived of a frame, or of the answer to the request, that is not complete. */
  #partial: Buffer | undefined
  #unsent: Buffer | undefined
  #isOpen = false
  readonly #opened = Promise.withResolvers<void>()

  /** Use `FrameConnection.open`. */
  constructor(handler: FrameHandler) {
    this.#handler = handler
  }

  /** Resolves when the server has made the connection a WebSocket. @throws when it does not */
  static async open(url: string, target: string, handler: FrameHandler): Promise<FrameConnection> {
    const { hostname, port, host } = new URL(url)
    const connection = new FrameConnection(handler)
    connection.#unsent = Buffer.from(
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    )
    const tls = { rejectUnauthorized: false }
    await Bun.connect<FrameConnection>({ hostname, port: Number(port), tls, data: connection, socket: HANDLERS })
    await connection.#opened.promise
    return connection
  }

  /** @param frames one or more, as `clientFrame` makes them */
  send(frames: Buffer): void {
    if (this.#unsent !== undefined) {
      this.#unsent = Buffer.concat([this.#unsent, frames])
      return
    }
    this.#unsent = frames
    this.flush()
  }

  close(): void {
    this.#socket?.terminate()
  }

  /** The socket can be written to. */
  ready(socket: Socket<FrameConnection>): void {
    this.#socket = socket
    this.flush()
  }

  flush(): void {
    if (this.#unsent === undefined || this.#socket === undefined) return
    const sent = this.#socket.write(this.#unsent)
    // The bytes may be written again later, so they are not copied.
    this.#unsent = sent >= this.#unsent.length ? undefined : this.#unsent.subarray(Math.max(sent, 0))
  }

  failed(error: Error): void {
    this.#opened.reject(error)
  }

  closed(): void {
    this.#socket = undefined
    this.#opened.reject(new Error('The server has closed the connection'))
    if (this.#isOpen) this.#handler.lost()
  }

  read(bytes: Buffer): void {
    const all = this.#partial === undefined ? bytes : Buffer.concat([this.#partial, bytes])
    let at = this.#isOpen ? 0 : this.#readHead(all)
    if (this.#isOpen) {
      for (let next = this.#readFrame(all, at); next !== undefined; next = this.#readFrame(all, at)) at = next
    }
    // The bytes are the connection's, which uses them again.
    this.#partial = at === all.length ? undefined : Buffer.from(all.subarray(at))
  }

  /** @returns where the frames begin; 0 while the head is not complete */
  #readHead(all: Buffer): number {
    const end = all.indexOf(HEAD_END)
    if (end === -1) return 0
    const head = all.toString('latin1', 0, end)
    if (!head.startsWith('HTTP/1.1 101')) {
      this.#opened.reject(new Error(`The server answers ${head}`))
      return all.length
    }
    this.#isOpen = true
    this.#opened.resolve()
    return end + HEAD_END.length
  }

  /** @returns where the next frame begins; `undefined` when this one is not complete */
  #readFrame(all: Buffer, at: number): number | undefined {
    const short = (all[at + 1] ?? 0) & LENGTH_BITS
    const start = at + (short < IN_TWO ? 2 : short === IN_EIGHT ? 10 : 4)
    if (start > all.length) return undefined
    const length = short < IN_TWO ? short : short === IN_EIGHT ? all.readUIntBE(at + 4, 6) : all.readUInt16BE(at + 2)
    const end = start + length
    if (end > all.length) return undefined
    this.bytesReceived += end - at
    const opcode = (all[at] ?? 0) & OPCODE_BITS
    if (opcode === TEXT) this.#handler.frame(all, start, end)
    else if (opcode === PING) this.send(frameOf(PONG, all.subarray(start, end)))
    return end
  }
}

/** Shared by all connections, so that one costs no functions of its own. */
const HANDLERS = {
  open: (socket: Socket<FrameConnection>) => socket.data.ready(socket),
  data: (socket: Socket<FrameConnection>, bytes: Buffer) => socket.data.read(bytes),
  drain: (socket: Socket<FrameConnection>) => socket.data.flush(),
  close: (socket: Socket<FrameConnection>) => socket.data.closed(),
  error: (socket: Socket<FrameConnection>, error: Error) => socket.data.failed(error),
  connectError: (socket: Socket<FrameConnection>, error: Error) => socket.data.failed(error),
}
