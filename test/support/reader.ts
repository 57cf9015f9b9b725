import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { Http1Reader } from './http1-reader.ts'

/** What a client has got of an answer so far. */
interface Received {
  readonly status: number
  readonly text: string
}

/** A client that can stop reading, and go away at any moment. */
export interface Reader {
  /** Resolves once `isEnough` of what has come so far. */
  until(isEnough: (received: Received) => boolean): Promise<Received>
  /** Takes nothing more from the connection. */
  pause(): void
  resume(): void
  /** Goes away, without a word where the protocol allows it. */
  cut(): void
  /** Resolves when nothing more comes; `true` when the end was told. */
  readonly ended: Promise<boolean>
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>
}

/** Where it asks. */
interface Place {
  readonly port: number
  readonly ca: string
}

/** Collects an answer and wakes whoever waits for more of it. */
export class Inbox {
  readonly ended = Promise.withResolvers<boolean>()
  readonly closed = Promise.withResolvers<void>()
  #received: Received = { status: 0, text: '' }
  #wake: (() => void) | undefined

  head(status: number): void {
    this.#received = { ...this.#received, status }
    this.#wake?.()
  }

  body(bytes: Buffer): void {
    this.#received = { ...this.#received, text: this.#received.text + bytes.toString('latin1') }
    this.#wake?.()
  }

  async until(isEnough: (received: Received) => boolean): Promise<Received> {
    while (!isEnough(this.#received)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.#received
  }
}

export function readHttp1(place: Place, path: string): Reader {
  return sendHttp1(place, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
}

/** Sends one request as it is, and leaves the connection open. */
export function sendHttp1({ port, ca }: Place, request: string): Reader {
  const inbox = new Inbox()
  const reader = new Http1Reader({
    head: (status) => inbox.head(status),
    body: (bytes) => inbox.body(bytes),
    end: () => {},
  })
  const socket = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca })
  const finish = () => inbox.ended.resolve(reader.isWhole)
  socket.on('secureConnect', () => socket.write(request))
  socket.on('data', (chunk: Buffer) => {
    reader.read(chunk)
    if (reader.isWhole) finish()
  })
  socket.on('error', finish)
  socket.on('close', finish)
  socket.on('close', () => inbox.closed.resolve())
  return {
    until: (isEnough) => inbox.until(isEnough),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    cut: () => void socket.destroy(),
    ended: inbox.ended.promise,
    closed: inbox.closed.promise,
  }
}

/** @param whole whether going away ends the connection, and not only the request */
export function readHttp2({ port, ca }: Place, path: string, whole: boolean): Reader {
  const inbox = new Inbox()
  const session = connectHttp2(`https://localhost:${port}`, { ca })
  const stream = session.request({ ':method': 'GET', ':path': path })
  let isWhole = false
  stream.on('response', (headers) => inbox.head(Number(headers[':status'])))
  stream.on('data', (chunk: Buffer) => inbox.body(chunk))
  stream.on('end', () => {
    isWhole = stream.rstCode === constants.NGHTTP2_NO_ERROR
  })
  const finish = () => {
    inbox.ended.resolve(isWhole)
    close(session)
  }
  stream.on('error', finish)
  stream.on('close', finish)
  session.on('error', finish)
  session.on('close', () => inbox.closed.resolve())
  return {
    until: (isEnough) => inbox.until(isEnough),
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    cut: () => (whole ? session.destroy() : stream.close(constants.NGHTTP2_CANCEL)),
    ended: inbox.ended.promise,
    closed: inbox.closed.promise,
  }
}

function close(session: ClientHttp2Session): void {
  if (!session.destroyed) session.destroy()
}
