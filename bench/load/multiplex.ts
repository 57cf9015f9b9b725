/** Many requests under way on one connection: the HTTP/2 client of the runtime, over sockets that gather what is written. */
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2'
import { Duplex } from 'node:stream'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Answers } from './load.ts'

export interface MultiplexOptions {
  readonly url: string
  readonly connections: number
  /** Requests under way on each connection. */
  readonly streams: number
  /** Targets that each connection asks for in order, over and over. */
  readonly paths: readonly string[]
}

/** @returns sends GETs for so many seconds, over connections of its own */
export function multiplex(options: MultiplexOptions): (seconds: number) => Promise<Answers> {
  return async (seconds) => {
    const tally = { succeeded: 0, refused: 0, failed: 0 }
    const sessions = await Promise.all(Array.from({ length: options.connections }, () => openSession(options.url)))
    const start = performance.now()
    const end = start + seconds * 1000
    await Promise.all(sessions.map((session) => ask(session, options, end, tally)))
    return { ...tally, seconds: (performance.now() - start) / 1000 }
  }
}

interface Tally {
  succeeded: number
  refused: number
  failed: number
}

/** Keeps so many requests under way until the time is up. */
function ask(session: ClientHttp2Session, options: MultiplexOptions, end: number, tally: Tally): Promise<void> {
  const { streams, paths } = options
  return new Promise((resolve, reject) => {
    let sent = 0
    let under = 0
    const next = () => {
      if (performance.now() >= end) {
        if (under === 0) session.close(resolve)
        return
      }
      under++
      const stream = session.request({ [constants.HTTP2_HEADER_PATH]: paths[sent++ % paths.length] ?? '/' })
      let status = 0
      stream.on('response', (headers) => {
        status = Number(headers[constants.HTTP2_HEADER_STATUS])
      })
      stream.resume()
      stream.on('end', () => {
        count(tally, status)
        under--
        next()
      })
      stream.on('error', reject)
      stream.end()
    }
    session.on('error', reject)
    for (let stream = 0; stream < streams; stream++) next()
  })
}

function count(tally: Tally, status: number): void {
  if (status >= 200 && status < 300) tally.succeeded++
  else if (status >= 400 && status < 500) tally.refused++
  else tally.failed++
}

function openSession(url: string): Promise<ClientHttp2Session> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port: Number(port), ALPNProtocols: ['h2'], rejectUnauthorized: false }
    const socket = connectTls(options, () => {
      const session = connectHttp2(url, { createConnection: () => new GatheringSocket(socket) })
      session.once('error', reject)
      session.once('connect', () => resolve(session))
    })
    socket.once('error', reject)
  })
}

/**
 * Writes what one turn of the loop has written at once. The client of the runtime writes frame by frame, and every
 * write is a TLS record and a system call of its own: no browser sends requests that way.
 */
class GatheringSocket extends Duplex {
  readonly #socket: TLSSocket
  #gathered: Uint8Array[] = []

  constructor(socket: TLSSocket) {
    super()
    this.#socket = socket
    socket.on('data', (bytes) => this.push(bytes))
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
  }

  override _read(): void {}

  override _write(bytes: Uint8Array, _encoding: string, done: () => void): void {
    if (this.#gathered.length === 0) setImmediate(() => this.#send())
    this.#gathered.push(Uint8Array.from(bytes))
    done()
  }

  override _final(done: () => void): void {
    this.#send()
    this.#socket.end()
    done()
  }

  #send(): void {
    if (this.#gathered.length === 0) return
    this.#socket.write(Buffer.concat(this.#gathered))
    this.#gathered = []
  }
}
