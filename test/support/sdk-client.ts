import type { HttpsClient } from './https-server.ts'

/** What the server sends, as it is parsed. */
export interface Received {
  readonly t: 'c' | 'd'
  readonly d: Readonly<Record<string, unknown>>
}

/** Answer to a request. */
export interface SdkAnswer {
  readonly status: unknown
  readonly data: unknown
}

const SEGMENT = 16_384

/** A client of the socket protocol that sends frames as it is told, and keeps everything that comes in its order. */
export class SdkClient implements AsyncDisposable {
  /** Messages but the hello, in the order in which they came: `push` and `answer` in short form, see `shortOf`. */
  readonly received: string[] = []
  readonly frames: string[] = []
  readonly hello = Promise.withResolvers<Readonly<Record<string, unknown>>>()
  readonly closed = Promise.withResolvers<{ readonly code: number; readonly reason: string }>()
  readonly #socket: WebSocket
  readonly #answers = new Map<number, PromiseWithResolvers<SdkAnswer>>()
  readonly #waiting: (() => void)[] = []
  #segments: string[] = []
  #missing = 0
  #number = 0

  constructor(server: Pick<HttpsClient, 'port' | 'ca'>, parameters = 'v=5&ns=app') {
    const options = { tls: { ca: server.ca } } as unknown as string[]
    this.#socket = new WebSocket(`wss://localhost:${server.port}/.ws?${parameters}`, options)
    this.#socket.onmessage = ({ data }) => this.#takeFrame(String(data))
    this.#socket.onclose = ({ code, reason }) => {
      this.closed.resolve({ code, reason })
      this.hello.reject(new Error(`closed: ${code} ${reason}`))
      for (const answer of this.#answers.values()) answer.reject(new Error(`closed: ${code} ${reason}`))
      for (const wake of this.#waiting.splice(0)) wake()
    }
    this.hello.promise.catch(() => {})
  }

  /** Resolves when the server has said hello. */
  static async connect(server: Pick<HttpsClient, 'port' | 'ca'>, parameters?: string): Promise<SdkClient> {
    const client = new SdkClient(server, parameters)
    await client.hello.promise
    return client
  }

  /** Sends a frame as it is. */
  sendFrame(frame: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(frame)
  }

  /** Sends a message, in segments where it is long. */
  send(text: string): void {
    if (text.length > SEGMENT) this.sendFrame(String(Math.ceil(text.length / SEGMENT)))
    for (let at = 0; at < text.length; at += SEGMENT) this.sendFrame(text.slice(at, at + SEGMENT))
  }

  /** Sends a request. @returns its answer; rejects when the connection is closed before it comes */
  request(action: string, body: unknown): Promise<SdkAnswer> {
    const number = ++this.#number
    const answer = Promise.withResolvers<SdkAnswer>()
    answer.promise.catch(() => {})
    if (this.#socket.readyState === WebSocket.CLOSED) {
      answer.reject(new Error('closed'))
      return answer.promise
    }
    this.#answers.set(number, answer)
    this.send(JSON.stringify({ t: 'd', d: { r: number, a: action, b: body } }))
    return answer.promise
  }

  /** Resolves when this many messages have come, or the connection is closed. @returns them */
  async first(count: number): Promise<readonly string[]> {
    const { readyState } = this.#socket
    while (this.received.length < count && readyState !== WebSocket.CLOSED) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push(resolve)
      await promise
    }
    return this.received.slice(0, count)
  }

  /** Removes and returns what has come. */
  take(): readonly string[] {
    return this.received.splice(0)
  }

  close(): void {
    this.#socket.close()
  }

  /** Cuts the connection. */
  cut(): void {
    ;(this.#socket as unknown as { terminate(): void }).terminate()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    await this.closed.promise
  }

  #takeFrame(frame: string): void {
    this.frames.push(frame)
    if (this.#missing === 0 && /^\d{1,6}$/.test(frame)) {
      this.#missing = Number(frame)
      return
    }
    this.#segments.push(frame)
    if (this.#missing > 0 && --this.#missing > 0) return
    const text = this.#segments.join('')
    this.#segments = []
    this.#take(JSON.parse(text))
  }

  #take(message: Received): void {
    const { d } = message
    if (message.t === 'c' && d['t'] === 'h') {
      this.hello.resolve(d['d'] as Readonly<Record<string, unknown>>)
      return
    }
    this.received.push(shortOf(message))
    const body = d['b'] as { readonly s?: unknown; readonly d?: unknown }
    if (typeof d['r'] === 'number') {
      this.#answers.get(d['r'])?.resolve({ status: body.s, data: body.d })
      this.#answers.delete(d['r'])
    }
    for (const wake of this.#waiting.splice(0)) wake()
  }
}

/** A message in short form: `answer 3 ok`, `d /a 7 #1 {"b":1}` (action, path, tag, data), `control o`. */
export function shortOf({ t, d }: Received): string {
  if (t === 'c') return `control ${d['t']}`
  const body = d['b'] as Readonly<Record<string, unknown>>
  if (d['r'] !== undefined) return `answer ${d['r']} ${body['s']}`
  const tag = body['t'] === undefined ? '' : ` #${body['t']}`
  if (d['a'] === 'c') return `c ${body['p']}${body['q'] === undefined ? '' : ` ${JSON.stringify(body['q'])}`}`
  if (d['a'] === 'ac') return `ac ${body['s']}`
  return `${d['a']} ${body['p']}${tag} ${JSON.stringify(body['d'])}`
}
