import type { EndedRequest, Operation } from '../../observer.ts'
import type { Exchange } from '../exchange.ts'
import { loggedPath } from '../url/logged-path.ts'

const OK = 200

/** An answered request for observers. Most read only the numbers; log lines read the rest. */
export class AnsweredRequest implements EndedRequest {
  readonly operation: Operation
  readonly status: number
  readonly milliseconds: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly #exchange: Exchange

  constructor(exchange: Exchange, { status }: Response) {
    this.operation = exchange.operation(status !== OK || exchange.replyText === undefined)
    this.status = status
    this.milliseconds = performance.now() - exchange.startedAt
    this.bytesIn = exchange.receivedBytes
    this.bytesOut = exchange.method === 'HEAD' ? 0 : exchange.sentBytes
    this.#exchange = exchange
  }

  get id(): string {
    return this.#exchange.id
  }

  get method(): string {
    return this.#exchange.method
  }

  get path(): string {
    // Unknown paths may hold anything.
    return this.operation === 'other' ? '' : loggedPath(this.#exchange.request.url)
  }

  get address(): string | undefined {
    return this.#exchange.transport.addressOf(this.#exchange)
  }
}
