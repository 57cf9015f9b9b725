import type { Connected } from '../connection/peer.ts'
import type { Exchange } from '../exchange.ts'
import type { ClientLimits } from '../limits/client-limits.ts'

/**
 * Body of a short reply that counts as held memory while its client does not take it: the listener keeps a copy of it,
 * over HTTP/2 for hundreds of requests of one connection. It costs more than a plain text, so it is for when many wait.
 * @see docs/how-to/limit-clients.md#limits-against-abuse
 */
export function heldBody(content: string | Uint8Array<ArrayBuffer>, exchange: Exchange): ReadableStream {
  return new ReadableStream(new HeldBody(content, exchange))
}

class HeldBody implements Bun.DirectUnderlyingSource {
  readonly type = 'direct'
  readonly #limits: ClientLimits
  readonly #connected: Connected
  #content: string | Uint8Array<ArrayBuffer>

  constructor(content: string | Uint8Array<ArrayBuffer>, exchange: Exchange) {
    const { request, listener, peer, limits } = exchange
    this.#limits = limits
    // Not the exchange, which keeps the text.
    this.#connected = { request, listener, peer }
    this.#content = content
  }

  pull(writer: ReadableStreamDirectController): Promise<void> | undefined {
    // The writer would keep two copies of a string with other characters than ASCII.
    const bytes = typeof this.#content === 'string' ? Buffer.from(this.#content) : this.#content
    this.#content = ''
    const written: unknown = writer.write(bytes)
    // A number means that the connection has taken it; a promise resolves when it has, or the client has left.
    if (written instanceof Promise) return this.#hold(bytes.byteLength, written).then(() => void writer.end())
    writer.end()
    return undefined
  }

  /** Rejects, which resets the stream or closes the connection, when the limits abort it: the reply is incomplete. */
  #hold(bytes: number, written: Promise<unknown>): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#limits.abortConnection(this.#connected)
        reject()
      }
      const transfer = this.#limits.transfer(abort, { bytes })
      const taken = () => {
        transfer.end()
        resolve()
      }
      written.then(taken, taken)
    })
  }
}
