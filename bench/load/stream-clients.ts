/** Many listeners to streams in one process, over sockets of their own: nothing but counting messages. */
import type { Socket } from 'bun'
import { MARK, STAMP_LENGTH, stampNow } from './stream-message.ts'

/** What is left of a connection between two reads. */
interface Reading {
  readonly request: string
  /** The last byte read is the first of the two that end a message. */
  halfEnded: boolean
  messages: number
}

/** Connections that are opened at once. */
const OPENING = 50
const LINE_END = 10
const MARK_CODE = MARK.charCodeAt(0)

export class StreamClients {
  /** Time from publishing to arrival, in milliseconds: one for each read that begins with a message. */
  latencies: number[] = []
  readonly #sockets: Socket<Reading>[] = []
  #messages = 0
  #expected = 0
  #arrived = Promise.withResolvers<void>()

  /** Arrived so far, on all connections. */
  get messages(): number {
    return this.#messages
  }

  /** Opens one connection for each path, and waits for the first message of each. */
  async open(url: string, paths: readonly string[]): Promise<void> {
    for (let first = 0; first < paths.length; first += OPENING) {
      const some = paths.slice(first, first + OPENING)
      const arrived = this.expect(some.length)
      await Promise.all(some.map((path) => this.#connect(url, path)))
      await arrived
    }
  }

  /** Resolves when so many more messages have arrived. */
  expect(messages: number): Promise<void> {
    this.#expected = this.#messages + messages
    if (messages === 0) return Promise.resolve()
    this.#arrived = Promise.withResolvers<void>()
    return this.#arrived.promise
  }

  /** @throws unless every connection got as many messages as every other */
  checkEven(): void {
    const counts = new Set(this.#sockets.map(({ data }) => data.messages))
    if (counts.size > 1) throw new Error(`Connections got between ${Math.min(...counts)} and ${Math.max(...counts)}`)
  }

  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.terminate()
  }

  async #connect(url: string, path: string): Promise<void> {
    const { hostname, port, host } = new URL(url)
    const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`
    const socket = await Bun.connect<Reading>({
      hostname,
      port: Number(port),
      tls: { rejectUnauthorized: false },
      data: { request, halfEnded: false, messages: 0 },
      socket: {
        // Only called once the connection is encrypted.
        open: (opened) => void opened.write(opened.data.request),
        data: (from, bytes) => this.#read(from.data, bytes),
        close: (closed) => this.#lost(closed),
        connectError: (_, error) => this.#arrived.reject(error),
      },
    })
    this.#sockets.push(socket)
  }

  /** Two line ends stand at the end of a message and nowhere else. */
  #read(reading: Reading, bytes: Buffer): void {
    let from = 0
    if (reading.halfEnded && bytes[0] === LINE_END) {
      reading.messages++
      this.#messages++
      from = 1
    }
    for (let end = bytes.indexOf('\n\n', from); end !== -1; end = bytes.indexOf('\n\n', from)) {
      reading.messages++
      this.#messages++
      from = end + 2
    }
    reading.halfEnded = from < bytes.length && bytes[bytes.length - 1] === LINE_END
    this.#time(bytes)
    if (this.#messages >= this.#expected) this.#arrived.resolve()
  }

  #time(bytes: Buffer): void {
    const stamp = bytes.indexOf(MARK_CODE) + 1
    if (stamp === 0 || stamp + STAMP_LENGTH > bytes.length) return
    this.latencies.push((stampNow() - Number(bytes.toString('latin1', stamp, stamp + STAMP_LENGTH))) / 1000)
  }

  #lost(socket: Socket<Reading>): void {
    if (this.#sockets.includes(socket)) this.#arrived.reject(new Error('A stream has ended'))
  }
}
