import { connect as connectHttp2, constants } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { Http1Reader, type WireHandler } from './http1-reader.ts'
import { StreamCache } from './stream-cache.ts'

/** One message of an event stream. */
export interface ReceivedEvent {
  /** `put`, `patch`, `keep-alive`, … */
  readonly name: string
  /** The data line as sent. */
  readonly text: string
  /** The id line, if there was one. */
  readonly id: string | undefined
  /** All of its bytes, the empty line at the end too. */
  readonly raw: string
}

/** An event that tells of data. */
export interface DataEvent {
  readonly kind: 'put' | 'patch'
  readonly path: string
  readonly data: unknown
}

/** Where a test's server listens. */
export interface Listening {
  readonly port: number
  readonly ca: string
}

export interface SourceOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Default HTTP/1.1. */
  readonly http2?: boolean
  /** Value of `Accept`. Default `text/event-stream`. */
  readonly accept?: string
}

/** What a connection brings, as it comes. */
interface Wire {
  pause(): void
  resume(): void
  close(): void
}

const EMPTY_LINE = Buffer.from('\n\n')

/** A client of an event stream, strict about its bytes. */
export class EventSource implements AsyncDisposable {
  readonly status: number
  readonly headers: Headers
  /** What the events received by `next` have made of the data, by the rules for clients. */
  readonly cache = new StreamCache()
  /** Resolves when nothing more comes; `false` when the connection broke off before the end was told. */
  readonly ended: Promise<boolean>
  /** Bytes received so far. */
  received = 0
  readonly #wire: Wire
  readonly #closed = Promise.withResolvers<boolean>()
  readonly #waiting: ReceivedEvent[] = []
  readonly #read: string[] = []
  #pieces: Buffer[] = []
  #hasEnded = false
  #wake: (() => void) | undefined

  private constructor(status: number, headers: Headers, wire: Wire) {
    this.status = status
    this.headers = headers
    this.ended = this.#closed.promise
    this.#wire = wire
  }

  /** Resolves when the head of the answer is there, whatever its status. */
  static open(server: Listening, target: string, options: SourceOptions = {}): Promise<EventSource> {
    const { promise, resolve, reject } = Promise.withResolvers<EventSource>()
    let source: EventSource | undefined
    const handler: WireHandler = {
      head: (status, headers) => {
        source = new EventSource(status, headers, wire)
        resolve(source)
      },
      body: (bytes) => source?.receive(bytes),
      end: (whole) => {
        source?.finish(whole)
        reject(new Error(`no answer to ${target}`))
      },
    }
    const headers = { accept: options.accept ?? 'text/event-stream', ...options.headers }
    const wire = (options.http2 === true ? openHttp2 : openHttp1)(server, target, headers, handler)
    return promise
  }

  /**
   * The next message, keep-alives too; puts and patches are brought into the cache. `undefined` at the end of the
   * stream.
   */
  async nextMessage(): Promise<ReceivedEvent | undefined> {
    while (this.#waiting.length === 0 && !this.#hasEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const event = this.#waiting.shift()
    if (event === undefined) return undefined
    this.#read.push(event.raw)
    if (event.name === 'put' || event.name === 'patch') this.cache.apply(dataOf(event))
    return event
  }

  /** The next put or patch. @throws Error when the stream ends, or something else comes that is no keep-alive */
  async next(): Promise<DataEvent> {
    for (;;) {
      const event = await this.nextMessage()
      if (event === undefined) throw new Error('the stream has ended')
      if (event.name === 'put' || event.name === 'patch') return dataOf(event)
      if (event.name !== 'keep-alive') throw new Error(`unexpected: ${event.raw}`)
    }
  }

  /** So many puts and patches. */
  async take(number: number): Promise<DataEvent[]> {
    const events: DataEvent[] = []
    while (events.length < number) events.push(await this.next())
    return events
  }

  /** Everything read so far as it came. */
  get raw(): string {
    return this.#read.join('')
  }

  /** Messages received and not read yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** The body of an answer that is no stream, or what of a stream comes until it ends. */
  async text(): Promise<string> {
    await this.ended
    return `${this.raw}${this.#waiting.map(({ raw }) => raw).join('')}${Buffer.concat(this.#pieces).toString('utf8')}`
  }

  /** Bytes of a message that has not ended. */
  get rest(): string {
    return Buffer.concat(this.#pieces).toString('utf8')
  }

  /** Stops reading from the connection: a slow client. */
  pause(): void {
    this.#wire.pause()
  }

  resume(): void {
    this.#wire.resume()
  }

  /** Breaks the connection off. */
  close(): Promise<boolean> {
    this.#wire.close()
    return this.ended
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** For the connection only. */
  receive(bytes: Buffer): void {
    this.received += bytes.length
    const last = this.#pieces.at(-1)
    // The empty line may be spread over two pieces.
    const isEmptyLine = bytes[0] === 0x0a && last?.at(-1) === 0x0a
    if (!isEmptyLine && !bytes.includes(EMPTY_LINE)) {
      this.#pieces.push(bytes)
      return
    }
    let all = Buffer.concat([...this.#pieces, bytes])
    for (let end = all.indexOf(EMPTY_LINE); end !== -1; end = all.indexOf(EMPTY_LINE)) {
      this.#waiting.push(parseMessage(all.subarray(0, end + EMPTY_LINE.length).toString('utf8')))
      all = all.subarray(end + EMPTY_LINE.length)
    }
    this.#pieces = all.length === 0 ? [] : [all]
    this.#wake?.()
  }

  /** For the connection only. */
  finish(whole: boolean): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#closed.resolve(whole)
    this.#wake?.()
  }
}

/** Opens a stream. @throws Error when it is refused */
export async function openSource(server: Listening, target: string, options?: SourceOptions): Promise<EventSource> {
  const source = await EventSource.open(server, target, options)
  if (source.status !== 200) throw new Error(`${target}: ${source.status} ${await source.text()}`)
  return source
}

/** A target in which characters that a request line may not hold are escaped; escapes stay as they are. */
export function escapedTarget(target: string): string {
  return target.replace(/[^!#$%&'()*+,\-./:;=?@[\]_~\w]/gu, encodeURIComponent)
}

/** What a put or patch says. @throws Error unless its data line is written as the protocol wants it */
export function dataOf({ name, text }: ReceivedEvent): DataEvent {
  const json = JSON.parse(text) as { path: string; data: unknown }
  if (!text.startsWith(`{"path":${JSON.stringify(json.path)},"data":`)) throw new Error(`not a message: ${text}`)
  return { kind: name as DataEvent['kind'], path: json.path, data: json.data }
}

function parseMessage(raw: string): ReceivedEvent {
  const [, name = '', text = '', id] = /^event: ([^\n]+)\ndata: ([^\n]*)\n(?:id: ([^\n]+)\n)?\n$/.exec(raw) ?? []
  return { name, text, id, raw }
}

function openHttp2({ port, ca }: Listening, target: string, headers: Record<string, string>, to: WireHandler): Wire {
  const session = connectHttp2(`https://localhost:${port}`, { ca })
  const stream = session.request({
    ...lowerCase(headers),
    [constants.HTTP2_HEADER_METHOD]: 'GET',
    [constants.HTTP2_HEADER_PATH]: target,
  })
  let isWhole = false
  stream.on('response', (received) => {
    const plain = Object.entries(received).filter(([name]) => !name.startsWith(':'))
    to.head(
      Number(received[constants.HTTP2_HEADER_STATUS]),
      new Headers(plain.map(([name, value]): [string, string] => [name, String(value)])),
    )
  })
  stream.on('data', (chunk: Buffer) => to.body(chunk))
  stream.on('end', () => {
    isWhole = stream.rstCode === constants.NGHTTP2_NO_ERROR
  })
  const finish = () => {
    to.end(isWhole)
    session.destroy()
  }
  stream.on('error', finish)
  stream.on('close', finish)
  session.on('error', finish)
  session.on('close', finish)
  return {
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    close: () => {
      stream.close(constants.NGHTTP2_CANCEL)
      session.destroy()
      to.end(false)
    },
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Written by hand: the ready-made clients read ahead without bounds, and hide how a stream ended. */
function openHttp1({ port, ca }: Listening, target: string, headers: Record<string, string>, to: WireHandler): Wire {
  const socket = connectTls({ port, host: 'localhost', ca })
  const lines = [...new Headers({ host: `localhost:${port}`, ...lowerCase(headers) })].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const reader = new Http1Reader(to)
  socket.on('secureConnect', () => socket.write(`GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`))
  socket.on('data', (chunk: Buffer) => {
    reader.read(chunk)
    if (reader.isWhole) socket.destroy()
  })
  const finish = () => to.end(reader.isWhole)
  socket.on('error', finish)
  socket.on('end', finish)
  socket.on('close', finish)
  return {
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => {
      socket.destroy()
      finish()
    },
  }
}
