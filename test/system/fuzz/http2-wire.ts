import { type ClientHttp2Session, connect, constants } from 'node:http2'
import type { Listening } from '../../support/event-source.ts'
import { type FuzzAnswer, type FuzzRequest, PATIENCE_MS, type Silence } from './exchange.ts'

/** One connection of HTTP/2. */
export class Http2Wire {
  isOpen = true
  readonly #session: ClientHttp2Session

  constructor({ port, ca }: Listening) {
    this.#session = connect(`https://localhost:${port}`, { ca })
    const finish = () => {
      this.isOpen = false
    }
    this.#session.on('error', finish)
    this.#session.on('close', finish)
    this.#session.on('goaway', finish)
  }

  /** Sends a request; `unsent` when the client itself finds it too wrong to be sent. */
  ask({ method, target, headers, body }: FuzzRequest): Promise<FuzzAnswer | Silence | 'unsent'> {
    const { promise, resolve } = Promise.withResolvers<FuzzAnswer | Silence | 'unsent'>()
    const fields: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>
    for (const [name, value] of headers) {
      const key = name.toLowerCase()
      const there = fields[key]
      fields[key] = there === undefined ? value : [...(Array.isArray(there) ? there : [there]), value]
    }
    const timer = setTimeout(() => resolve('hang'), PATIENCE_MS)
    void promise.finally(() => clearTimeout(timer))
    try {
      const stream = this.#session.request({
        ...fields,
        [constants.HTTP2_HEADER_METHOD]: method,
        [constants.HTTP2_HEADER_PATH]: target,
      })
      let status = 0
      const received = new Headers()
      const chunks: Buffer[] = []
      stream.on('response', (answer) => {
        status = Number(answer[constants.HTTP2_HEADER_STATUS])
        for (const [name, value] of Object.entries(answer)) {
          if (!name.startsWith(':')) received.set(name, String(value))
        }
      })
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () =>
        resolve(status === 0 ? 'closed' : { status, headers: received, body: Buffer.concat(chunks) }),
      )
      stream.on('error', () => resolve('closed'))
      stream.on('close', () => resolve('closed'))
      stream.end(body)
    } catch {
      resolve(this.isOpen ? 'unsent' : 'closed')
    }
    return promise
  }

  close(): void {
    this.isOpen = false
    this.#session.destroy()
  }
}
