/** A client of the protocol of Firebase's SDKs: hello, requests, answers and pushes, as few objects as can be. */
import { clientFrame, FrameConnection, type FrameHandler } from './frame-client.ts'

export const SOCKET_TARGET = '/.ws?v=5&ns=app'

/** Where the kind of a message stands: `{"t":"c"`, `{"t":"d","d":{"r":` and `{"t":"d","d":{"a":`. */
const TYPE_AT = 6
const MEMBER_AT = 15
const CONTROL = 'c'.charCodeAt(0)
const NUMBER = 'r'.charCodeAt(0)
/** What an answer must have; an echo has the request itself. */
const SUCCESSES = ['"s":"ok"', '"a":"s"']

/** A request as it is sent. Answers come in the order of requests, so the number need not grow. */
export function requestFrame(action: string, body: unknown): Buffer {
  return clientFrame(JSON.stringify({ t: 'd', d: { r: 1, a: action, b: body } }))
}

/** The hash that clients compute of a text. */
export function hashOfText(text: string): string {
  return new Bun.CryptoHasher('sha1').update(`string:${text}`).digest('base64')
}

export class WireClient implements FrameHandler {
  pushes = 0
  /** Called at each answer. */
  onAnswer: (() => void) | undefined
  /** Called with each push: the bytes from `start` to `end`. */
  onPush: ((bytes: Buffer, start: number, end: number) => void) | undefined
  /** Called when the server has ended the connection. Default: the process fails. */
  onLost: (() => void) | undefined
  #connection: FrameConnection | undefined
  readonly #waiting: (() => void)[] = []
  readonly #greeted = Promise.withResolvers<void>()
  #isClosed = false

  /** Resolves when the server has said hello. */
  static async connect(url: string): Promise<WireClient> {
    const client = new WireClient()
    client.#connection = await FrameConnection.open(url, SOCKET_TARGET, client)
    await client.#greeted.promise
    return client
  }

  /** Of frames. */
  get bytesReceived(): number {
    return this.#connection?.bytesReceived ?? 0
  }

  /** Sends requests; `onAnswer` is called for each. */
  send(frames: Buffer): void {
    this.#connection?.send(frames)
  }

  /** Resolves when the request is answered. No other may be under way but those sent by this method. */
  request(frame: Buffer): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    this.send(frame)
    return promise
  }

  /** @param hash of what the client has */
  listen(path: string, hash = ''): Promise<void> {
    return this.request(requestFrame('q', { p: path, h: hash }))
  }

  close(): void {
    this.#isClosed = true
    this.#connection?.close()
  }

  lost(): void {
    if (this.#isClosed) return
    if (this.onLost === undefined) fail('The server has ended a connection')
    this.onLost()
  }

  frame(bytes: Buffer, start: number, end: number): void {
    if (bytes[start + TYPE_AT] === CONTROL) {
      this.#greeted.resolve()
    } else if (bytes[start + MEMBER_AT] === NUMBER) {
      const text = bytes.toString('latin1', start, end)
      if (!SUCCESSES.some((success) => text.includes(success))) fail(text)
      this.#waiting.shift()?.()
      this.onAnswer?.()
    } else {
      this.pushes++
      this.onPush?.(bytes, start, end)
    }
  }
}

/** What is measured would be worth nothing: the process ends, and with it the run. */
function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
