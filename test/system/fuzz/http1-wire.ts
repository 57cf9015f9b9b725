import { connect, type TLSSocket } from 'node:tls'
import type { Listening } from '../../support/event-source.ts'
import { type FuzzAnswer, type FuzzRequest, PATIENCE_MS, type Silence } from './exchange.ts'

const HEAD_END = '\r\n\r\n'
/** A connection that stays silent for so long after the last bytes is ended from this side. */
const QUIET_MS = 250
const NO_BODY = new Set([204, 304])
/** How the listener refuses what is no request. */
const REFUSAL = /^HTTP\/1\.1 [45]\d\d /

/** One connection of HTTP/1.1: what is written to it is bytes, what comes is read strictly. */
export class Http1Wire {
  isOpen = true
  readonly #socket: TLSSocket
  readonly #closed = Promise.withResolvers<'closed'>()
  #buffer: Buffer = Buffer.alloc(0)
  #wake: (() => void) | undefined
  /** Whether it is sent what need not be requests. */
  #isThrownAt = false

  private constructor(socket: TLSSocket) {
    this.#socket = socket
    const finish = () => {
      this.isOpen = false
      this.#closed.resolve('closed')
      this.#wake?.()
    }
    socket.on('data', (bytes: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, bytes])
      this.#wake?.()
    })
    socket.on('end', finish)
    socket.on('error', finish)
    socket.on('close', finish)
  }

  static open({ port, ca }: Listening): Promise<Http1Wire> {
    const { promise, resolve, reject } = Promise.withResolvers<Http1Wire>()
    const socket = connect({ host: '127.0.0.1', servername: 'localhost', port, ca, ALPNProtocols: ['http/1.1'] }, () =>
      resolve(new Http1Wire(socket)),
    )
    socket.on('error', reject)
    return promise
  }

  /** Sends a request and reads the answer to it. @throws Error when what comes is no answer */
  async ask(request: FuzzRequest): Promise<FuzzAnswer | Silence> {
    this.#socket.write(requestBytes(request))
    const answer = await this.#answer(request.method)
    if (typeof answer !== 'string' && answer.headers.get('connection') === 'close') this.close()
    if (this.#buffer.length > 0) throw new Error(`bytes behind an answer: ${this.#rest}`)
    return answer
  }

  /**
   * Sends bytes in pieces, ends its side or breaks off, and reads all that comes until the server closes.
   * @throws Error when what comes is no answer
   */
  async throwAt(pieces: readonly Uint8Array[], ending: 'end' | 'wait' | 'cut'): Promise<FuzzAnswer[] | 'hang'> {
    this.#isThrownAt = true
    for (const piece of pieces) {
      this.#socket.write(piece)
      await new Promise(setImmediate)
    }
    if (ending === 'cut') {
      this.close()
      return []
    }
    if (ending === 'end') this.#socket.end()
    const answers: FuzzAnswer[] = []
    const late = PATIENCE_MS + performance.now()
    while (performance.now() < late) {
      const answer = await this.#answer('GET', ending === 'wait' ? QUIET_MS : PATIENCE_MS)
      if (answer === 'closed') return answers
      if (answer === 'hang') {
        if (ending === 'end') return 'hang'
        ending = 'end'
        this.#socket.end()
      } else answers.push(answer)
    }
    return 'hang'
  }

  /** Whether nothing has come that nobody has asked for. */
  get isClean(): boolean {
    return this.#buffer.length === 0
  }

  close(): void {
    this.isOpen = false
    this.#socket.destroy()
    this.#closed.resolve('closed')
  }

  get #rest(): string {
    return JSON.stringify(this.#buffer.subarray(0, 200).toString('latin1'))
  }

  async #answer(method: string, patienceMs: number = PATIENCE_MS): Promise<FuzzAnswer | Silence> {
    for (;;) {
      const head = await this.#until(() => this.#buffer.indexOf(HEAD_END), patienceMs)
      if (typeof head === 'string') return head
      const [first = '', ...lines] = this.#buffer.subarray(0, head).toString('latin1').split('\r\n')
      const [, code] = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first) ?? []
      if (code === undefined) throw new Error(`no answer of HTTP: ${this.#rest}`)
      this.#take(head + HEAD_END.length)
      const status = Number(code)
      // "100 Continue" and the like come before the answer.
      if (status < 200) continue
      const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]))
      const body = method === 'HEAD' || NO_BODY.has(status) ? Buffer.alloc(0) : await this.#body(headers, patienceMs)
      return typeof body === 'string' ? body : { status, headers, body }
    }
  }

  async #body(headers: Headers, patienceMs: number): Promise<Buffer | Silence> {
    if (headers.get('transfer-encoding') !== 'chunked') {
      const length = Number(headers.get('content-length') ?? 0)
      const there = await this.#until(() => (this.#buffer.length >= length ? length : -1), patienceMs)
      return typeof there === 'string' ? there : this.#take(length)
    }
    const chunks: Buffer[] = []
    for (;;) {
      const end = await this.#until(() => this.#buffer.indexOf('\r\n'), patienceMs)
      if (typeof end === 'string') return end
      const line = this.#take(end + 2).toString('latin1')
      const size = Number.parseInt(line, 16)
      // What is no request, sent behind one that is still being answered, has the listener break that answer off.
      if (Number.isNaN(size) && REFUSAL.test(line) && this.#isThrownAt) return 'closed'
      if (Number.isNaN(size)) throw new Error(`a chunk without a size: ${JSON.stringify(line)}`)
      const there = await this.#until(() => (this.#buffer.length >= size + 2 ? size : -1), patienceMs)
      if (typeof there === 'string') return there
      chunks.push(this.#take(size + 2).subarray(0, size))
      if (size === 0) return Buffer.concat(chunks)
    }
  }

  #take(length: number): Buffer {
    const taken = this.#buffer.subarray(0, length)
    this.#buffer = this.#buffer.subarray(length)
    return taken
  }

  /** Waits until a place in what has come is known, which is -1 as long as it is not. */
  async #until(place: () => number, patienceMs: number = PATIENCE_MS): Promise<number | Silence> {
    const hang = Promise.withResolvers<'hang'>()
    const timer = setTimeout(() => hang.resolve('hang'), patienceMs)
    try {
      for (;;) {
        const found = place()
        if (found !== -1) return found
        if (!this.isOpen) return 'closed'
        const more = new Promise<'more'>((resolve) => {
          this.#wake = () => resolve('more')
        })
        if ((await Promise.race([more, this.#closed.promise, hang.promise])) === 'hang') return 'hang'
      }
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The bytes of a request: a body goes with its length, unless a header says how it goes. */
export function requestBytes({ method, target, headers, body }: FuzzRequest): Buffer {
  const hasHost = headers.some(([name]) => name.toLowerCase() === 'host')
  const length = body === undefined ? [] : [`Content-Length: ${body.byteLength}`]
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(hasHost ? [] : ['Host: localhost']),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...length,
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? new Uint8Array()])
}
