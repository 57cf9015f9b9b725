/** One connection over TLS with one request under way: little work of its own, so that times are the server's. */
import type { Socket } from 'bun'
import { urlOf } from '../stock/blogs.ts'
import { AnswerReader } from './answer-reader.ts'

const LOST = 'The server has closed a connection'

export class KeepAliveClient {
  readonly #reader = new AnswerReader()
  #socket: Socket | undefined
  /** Of the request under way. */
  #answered: PromiseWithResolvers<number> | undefined
  #isClosed = false

  static async connect(url: string): Promise<KeepAliveClient> {
    const { hostname, port } = new URL(url)
    const client = new KeepAliveClient()
    const opened = Promise.withResolvers<void>()
    client.#socket = await Bun.connect({
      hostname,
      port: Number(port),
      tls: { rejectUnauthorized: false },
      socket: {
        // Only called once the connection is encrypted.
        open: () => opened.resolve(),
        data: (_, bytes) => client.#read(bytes),
        close: () => {
          client.#isClosed = true
          client.#answered?.reject(new Error(LOST))
          opened.reject(new Error(LOST))
        },
        connectError: (_, error) => opened.reject(error),
      },
    })
    await opened.promise
    return client
  }

  /**
   * @param request head and body as they are sent
   * @returns the status, once all of the answer has arrived
   * @throws when the connection is lost, or the answer has no length
   */
  send(request: string): Promise<number> {
    if (this.#isClosed) return Promise.reject(new Error(LOST))
    this.#answered = Promise.withResolvers<number>()
    this.#socket?.write(request)
    return this.#answered.promise
  }

  close(): void {
    this.#socket?.terminate()
  }

  #read(bytes: Buffer): void {
    try {
      const status = this.#reader.read(bytes)
      if (status !== undefined) this.#answered?.resolve(status)
    } catch (error) {
      this.#answered?.reject(error)
    }
  }
}

/** A PUT as a connection that stays open sends it, head and body. */
export function putRequest(path: readonly string[], value: unknown): string {
  const body = JSON.stringify(value)
  return `PUT ${urlOf(path)} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
