import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import type { Listening } from '../../support/event-source.ts'
import { Http1Reader, type WireHandler } from '../../support/http1-reader.ts'
import type { Conduct } from './plan.ts'

/** A request as it is sent. */
export interface WireRequest {
  readonly method: 'GET' | 'POST'
  readonly target: string
  /** Its type, and its text. */
  readonly body?: readonly [type: string, text: string]
}

export interface WireOptions {
  /** Default HTTP/1.1. */
  readonly http2?: boolean
  /** Default: takes the whole answer. */
  readonly conduct?: Conduct
  /** Hears of all that is seen of the call, in the moment it happens. */
  readonly onSeen?: () => void
}

/** What has come of a call when nothing more will. */
export interface Received {
  /** 0 without an answer. */
  readonly status: number
  readonly text: string
  /** Whether the end of the answer was told. */
  readonly isWhole: boolean
  /** Time from the moment before the request was sent to the one when its client had gone away; absent if it stayed. */
  readonly leftAfterMs?: number
  /** Whether its client stood still for a time: its system has taken what it has not. */
  readonly hasStalled: boolean
}

/** A connection, which is there for one call. */
interface Wire {
  pause(): void
  resume(): void
  destroy(): void
}

/** One call on a connection of its own, whose client may go away, or stand still, at any moment. */
export class WireCall {
  /** Resolves when nothing more comes, whatever has come. Rejects never. */
  readonly ended: Promise<Received>
  /** Resolves when nothing more comes, or the client stands still. */
  readonly quiet: Promise<void>
  readonly #over = Promise.withResolvers<Received>()
  readonly #still = Promise.withResolvers<void>()
  readonly #options: WireOptions
  readonly #wire: Wire
  readonly #pieces: Buffer[] = []
  #status = 0
  #sentAt = 0
  #isOver = false
  #hasStalled = false

  constructor(server: Listening, request: WireRequest, options: WireOptions = {}) {
    this.ended = this.#over.promise
    this.quiet = this.#still.promise
    this.#options = options
    const to: Client = {
      sending: () => {
        this.#sentAt = performance.now()
      },
      sent: () => this.#see('sent'),
      head: (status) => {
        if (this.#isOver) return
        this.#status = status
        this.#see('head')
      },
      body: (bytes) => {
        if (this.#isOver) return
        this.#pieces.push(bytes)
        this.#see('body')
      },
      end: (isWhole) => this.#finish(isWhole),
    }
    this.#wire = (options.http2 === true ? openHttp2 : openHttp1)(server, request, to)
  }

  /** Whether its client stands still now. */
  get isStalled(): boolean {
    return this.#hasStalled && !this.#isOver
  }

  /** The client reads on. */
  goOn(): void {
    this.#wire.resume()
  }

  /** The client goes away. */
  leave(): void {
    if (this.#isOver) return
    this.#wire.destroy()
    this.#finish(false, performance.now() - this.#sentAt)
  }

  #see(what: 'sent' | 'head' | 'body'): void {
    if (this.#isOver) return
    const { conduct, onSeen } = this.#options
    if (conduct === what) this.leave()
    else if (conduct === 'stall' && what === 'head') {
      this.#hasStalled = true
      this.#wire.pause()
      this.#still.resolve()
    }
    onSeen?.()
  }

  #finish(isWhole: boolean, leftAfterMs?: number): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#still.resolve()
    const text = Buffer.concat(this.#pieces).toString('utf8')
    const left = leftAfterMs === undefined ? {} : { leftAfterMs }
    this.#over.resolve({ status: this.#status, text, isWhole, hasStalled: this.#hasStalled, ...left })
    if (leftAfterMs === undefined) this.#options.onSeen?.()
  }
}

/** What a connection tells of a call. */
interface Client extends WireHandler {
  /** The connection is there. */
  sending(): void
  /** The request is out. */
  sent(): void
}

function openHttp1({ port, ca }: Listening, request: WireRequest, to: Client): Wire {
  const socket = connectTls({ port, host: 'localhost', ca })
  const reader = new Http1Reader(to)
  socket.on('secureConnect', () => {
    to.sending()
    socket.write(textOf(request, port), () => to.sent())
  })
  socket.on('data', (chunk: Buffer) => {
    reader.read(chunk)
    if (!reader.isWhole) return
    to.end(true)
    socket.destroy()
  })
  const finish = () => to.end(reader.isWhole)
  socket.on('error', finish)
  socket.on('end', finish)
  socket.on('close', finish)
  return {
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    destroy: () => void socket.destroy(),
  }
}

function textOf({ method, target, body }: WireRequest, port: number): string {
  const head = `${method} ${target} HTTP/1.1\r\nHost: localhost:${port}\r\n`
  if (body === undefined) return `${head}\r\n`
  const [type, text] = body
  return `${head}Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

function openHttp2({ port, ca }: Listening, { method, target, body }: WireRequest, to: Client): Wire {
  const session = connectHttp2(`https://localhost:${port}`, { ca })
  const finish = () => to.end(false)
  session.on('error', finish)
  session.on('close', finish)
  let stream: ReturnType<ClientHttp2Session['request']> | undefined
  session.on('connect', () => {
    to.sending()
    stream = session.request(
      {
        ...(body === undefined ? {} : { 'content-type': body[0] }),
        [constants.HTTP2_HEADER_METHOD]: method,
        [constants.HTTP2_HEADER_PATH]: target,
      },
      { endStream: body === undefined },
    )
    stream.on('response', (headers) => to.head(Number(headers[constants.HTTP2_HEADER_STATUS]), new Headers()))
    stream.on('data', (chunk: Buffer) => to.body(chunk))
    stream.on('end', () => {
      to.end(stream?.rstCode === constants.NGHTTP2_NO_ERROR)
      session.destroy()
    })
    stream.on('error', finish)
    stream.on('close', finish)
    if (body !== undefined) stream.end(body[1])
    // The frames are written when this turn is over.
    setImmediate(() => to.sent())
  })
  return {
    pause: () => void stream?.pause(),
    resume: () => void stream?.resume(),
    destroy: () => session.destroy(),
  }
}
