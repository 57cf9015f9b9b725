import { connect, type TLSSocket } from 'node:tls'

/** Kinds of frames. */
export const TEXT = 1
export const BINARY = 2
export const CONTINUATION = 0
const CLOSE = 8
export const PING = 9
const PONG = 10

const FINAL = 0x80
const MASKED = 0x80
const NO_CODE = 1005
/** What `closed` gives where the connection ended without a close frame. */
const CUT = 1006

interface FrameOptions {
  /** Default true. */
  readonly isFinal?: boolean
  /** Default true, as clients must. */
  readonly isMasked?: boolean
}

/** A frame as clients send it, with a mask of zeros. */
export function frameOf(kind: number, payload: string | Uint8Array, options: FrameOptions = {}): Buffer {
  const { isFinal = true, isMasked = true } = options
  const bytes = Buffer.from(payload as string)
  const long = bytes.length > 0xffff ? 8 : bytes.length > 125 ? 2 : 0
  const head = Buffer.alloc(2 + long + (isMasked ? 4 : 0))
  head[0] = kind | (isFinal ? FINAL : 0)
  head[1] = (isMasked ? MASKED : 0) | (long === 8 ? 127 : long === 2 ? 126 : bytes.length)
  if (long === 2) head.writeUInt16BE(bytes.length, 2)
  if (long === 8) head.writeBigUInt64BE(BigInt(bytes.length), 2)
  return Buffer.concat([head, bytes])
}

/** Headers of the handshake beside those that every client sends. */
export type HandshakeHeaders = Readonly<Record<string, string>>

interface RawSocketOptions {
  readonly path?: string
  readonly headers?: HandshakeHeaders
  /** Whether it answers pings and close frames. Default true. */
  readonly isPolite?: boolean
}

/** A WebSocket that sends bytes as it is told, and keeps every frame of the server. */
export class RawSocket implements AsyncDisposable {
  /** Texts that have come. */
  readonly texts: string[] = []
  /** Bytes that have come, those of the handshake included. */
  receivedBytes = 0
  pings = 0
  readonly pongs: string[] = []
  /** Lines of the reply to the handshake. */
  head: readonly string[] = []
  /** Status of the handshake. */
  readonly status = Promise.withResolvers<number>()
  readonly closed = Promise.withResolvers<{ readonly code: number; readonly reason: string }>()
  /** Resolves when the connection below is closed. */
  readonly gone = Promise.withResolvers<void>()
  readonly #socket: TLSSocket
  readonly #isPolite: boolean
  #bytes: Buffer = Buffer.alloc(0)
  #isOpen = false
  #wake = Promise.withResolvers<void>()

  constructor({ port, ca }: { readonly port: number; readonly ca: string }, options: RawSocketOptions = {}) {
    const { path = '/.ws?v=5&ns=app', headers = {}, isPolite = true } = options
    this.#isPolite = isPolite
    this.#socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' })
    const given = { Host: `localhost:${port}`, ...headers }
    const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`)
    const fixed = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n'
    this.#socket.write(
      `GET ${path} HTTP/1.1\r\n${lines.join('')}${fixed}Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    )
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk))
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => {
      this.status.resolve(0)
      this.closed.resolve({ code: CUT, reason: '' })
      this.gone.resolve()
      this.#wake.resolve()
    })
  }

  /** Resolves when the server has said hello. */
  static async connect(
    server: { readonly port: number; readonly ca: string },
    options?: RawSocketOptions,
  ): Promise<RawSocket> {
    const socket = new RawSocket(server, options)
    await socket.until(() => socket.texts.length > 0)
    return socket
  }

  write(bytes: Uint8Array): void {
    this.#socket.write(bytes)
  }

  text(text: string): void {
    this.write(frameOf(TEXT, text))
  }

  /** Resolves when something is true, or the connection is gone. It is asked whenever something has come. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue() && !this.#socket.destroyed) {
      await this.#wake.promise
    }
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  cut(): void {
    this.#socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    await this.gone.promise
  }

  #take(chunk: Buffer): void {
    this.receivedBytes += chunk.length
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
    if (!this.#isOpen) this.#takeHead()
    if (this.#isOpen) while (this.#takeFrame());
    this.#wake.resolve()
    this.#wake = Promise.withResolvers<void>()
  }

  #takeHead(): void {
    const end = this.#bytes.indexOf('\r\n\r\n')
    if (end < 0) return
    const status = Number(this.#bytes.toString('latin1', 9, 12))
    this.head = this.#bytes.toString('latin1', 0, end).split('\r\n')
    this.#bytes = this.#bytes.subarray(end + 4)
    this.#isOpen = status === 101
    this.status.resolve(status)
  }

  #takeFrame(): boolean {
    const [first = 0, second = 0] = this.#bytes
    if (this.#bytes.length < 2) return false
    const short = second & 0x7f
    const at = short === 127 ? 10 : short === 126 ? 4 : 2
    if (this.#bytes.length < at) return false
    const length =
      short === 127 ? Number(this.#bytes.readBigUInt64BE(2)) : short === 126 ? this.#bytes.readUInt16BE(2) : short
    if (this.#bytes.length < at + length) return false
    const payload = this.#bytes.subarray(at, at + length)
    this.#bytes = this.#bytes.subarray(at + length)
    this.#takePayload(first & 0x0f, payload)
    return true
  }

  #takePayload(kind: number, payload: Buffer): void {
    if (kind === TEXT) this.texts.push(payload.toString('utf8'))
    else if (kind === PONG) this.pongs.push(payload.toString('latin1'))
    else if (kind === PING) {
      this.pings++
      if (this.#isPolite) this.write(frameOf(PONG, payload))
    } else if (kind === CLOSE) {
      const code = payload.length < 2 ? NO_CODE : payload.readUInt16BE(0)
      this.closed.resolve({ code, reason: payload.toString('utf8', 2) })
      if (this.#isPolite) this.#socket.end(frameOf(CLOSE, payload))
    }
  }
}
