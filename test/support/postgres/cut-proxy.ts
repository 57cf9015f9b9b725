import { connect, createServer, type Server, type Socket } from 'node:net'
import { FrontendReader } from './frontend-reader.ts'

/** What happens to the connections between a process and its database. */
export type Cut =
  /** All are broken now. */
  | 'now'
  /** The next one that commits is broken when its commit was passed on; the answer is not. */
  | 'behind a commit'
  /** The next one that commits is broken, and its commit gets to the database only later. */
  | 'before a late commit'
  /** The next one that commits is broken in place of its commit. */
  | 'before a commit'

/** How a late commit is held back, in milliseconds. */
const LATE_MS = 40

/** One connection of the process, and its other half. */
interface Pair {
  readonly client: Socket
  readonly server: Socket
}

/** Stands between a process and its database on loopback, and breaks what goes through it as planned. */
export class CutProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #upstream: () => string
  readonly #pairs = new Set<Pair>()
  #next: { readonly cut: Cut; done(): void } | undefined
  #isHeld = false
  #delayMs = 0

  private constructor(server: Server, upstream: () => string) {
    this.#server = server
    this.#upstream = upstream
  }

  /** @param upstream path of the socket of the database, asked for each connection */
  static async listen(upstream: () => string): Promise<CutProxy> {
    const server = createServer()
    const proxy = new CutProxy(server, upstream)
    server.on('connection', (client) => proxy.#accept(client))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** Plans a cut in place of an earlier one. Resolves when it is made. */
  cut(cut: Cut): Promise<void> {
    this.#next = undefined
    if (cut === 'now') {
      for (const pair of this.#pairs) this.#break(pair)
      return Promise.resolve()
    }
    return new Promise((done) => {
      this.#next = { cut, done }
    })
  }

  /** No cut is planned any more. */
  calm(): void {
    this.#next = undefined
  }

  /** Passes nothing on in either direction. @returns breaks all connections that were held, and passes on again */
  hold(): () => void {
    this.#isHeld = true
    return () => {
      this.#isHeld = false
      for (const pair of this.#pairs) this.#break(pair)
    }
  }

  /** Passes everything on later. @param milliseconds 0 for at once */
  delay(milliseconds: number): void {
    this.#delayMs = milliseconds
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pair of this.#pairs) this.#break(pair)
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #accept(client: Socket): void {
    const server = connect(this.#upstream())
    const pair: Pair = { client, server }
    const reader = new FrontendReader()
    this.#pairs.add(pair)
    client.on('data', (bytes: Buffer) => {
      if (this.#isHeld) return
      const commits = reader.read(bytes)
      if (commits && this.#next !== undefined) this.#cutAt(pair, bytes)
      else this.#pass(pair.server, bytes)
    })
    server.on('data', (bytes: Buffer) => {
      if (!this.#isHeld) this.#pass(pair.client, bytes)
    })
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => this.#break(pair))
    }
  }

  #cutAt(pair: Pair, bytes: Buffer): void {
    const next = this.#next
    this.#next = undefined
    this.#pairs.delete(pair)
    pair.client.destroy()
    if (next?.cut === 'before a commit') pair.server.destroy()
    // The end comes behind the bytes: the database carries the commit out before it notices.
    else if (next?.cut === 'behind a commit') pair.server.end(bytes)
    else setTimeout(() => pair.server.end(bytes), LATE_MS)
    next?.done()
  }

  #pass(to: Socket, bytes: Buffer): void {
    if (this.#delayMs === 0) to.write(bytes)
    else setTimeout(() => to.write(bytes), this.#delayMs)
  }

  #break(pair: Pair): void {
    this.#pairs.delete(pair)
    pair.client.destroy()
    pair.server.destroy()
  }
}
