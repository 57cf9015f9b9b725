/** Who is told what a connection brings. */
export interface WireHandler {
  head(status: number, headers: Headers): void
  body(bytes: Buffer): void
  /** @param whole whether the end was told and not only met */
  end(whole: boolean): void
}

/** One answer of HTTP/1.1: a head, then a body in chunks or of known length. */
export class Http1Reader {
  /** Whether the end was told. */
  isWhole = false
  readonly #to: WireHandler
  #buffer: Buffer = Buffer.alloc(0)
  #state: 'head' | 'size' | 'body' = 'head'
  #isChunked = false
  /** Bytes of the chunk, or of the body, still to come; of a chunk the line end too. */
  #left = 0

  constructor(to: WireHandler) {
    this.#to = to
  }

  read(bytes: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? bytes : Buffer.concat([this.#buffer, bytes])
    while (!this.isWhole && this.#step());
  }

  /** @returns whether there may be more to do with what is here */
  #step(): boolean {
    switch (this.#state) {
      case 'head':
        return this.#readHead()
      case 'size':
        return this.#readSize()
      case 'body':
        return this.#readBody()
      default:
        return this.#state satisfies never
    }
  }

  #readHead(): boolean {
    const end = this.#buffer.indexOf('\r\n\r\n')
    if (end === -1) return false
    const [first = '', ...lines] = this.#buffer.subarray(0, end).toString('latin1').split('\r\n')
    this.#buffer = this.#buffer.subarray(end + 4)
    const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]))
    this.#isChunked = headers.get('transfer-encoding') === 'chunked'
    this.#state = this.#isChunked ? 'size' : 'body'
    this.#left = Number(headers.get('content-length') ?? 0)
    this.#to.head(Number(first.split(' ')[1]), headers)
    this.isWhole = !this.#isChunked && this.#left === 0
    return true
  }

  #readSize(): boolean {
    const end = this.#buffer.indexOf('\r\n')
    if (end === -1) return false
    const size = Number.parseInt(this.#buffer.subarray(0, end).toString('latin1'), 16)
    this.#buffer = this.#buffer.subarray(end + 2)
    this.#left = size + 2
    this.#state = 'body'
    this.isWhole = size === 0
    return true
  }

  #readBody(): boolean {
    const taken = this.#buffer.subarray(0, this.#left)
    if (taken.length === 0) return false
    const lineEnd = this.#isChunked ? Math.max(0, taken.length - Math.max(0, this.#left - 2)) : 0
    this.#left -= taken.length
    this.#buffer = this.#buffer.subarray(taken.length)
    if (taken.length > lineEnd) this.#to.body(taken.subarray(0, taken.length - lineEnd))
    if (this.#left === 0) {
      if (this.#isChunked) this.#state = 'size'
      else this.isWhole = true
    }
    return true
  }
}
