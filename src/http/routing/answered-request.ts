import type { EndedRequest, Operation } from '../../observer.ts'
import type { Listener, Transport } from '../connection/transport.ts'
import { receivedBytes, sentBytes } from '../request/body-size.ts'
import { requestIdOf } from '../request/request-id.ts'

/** Longest path in a log line, in characters. */
const LONGEST_PATH = 512
/** A credential that somebody has put in the path by mistake. */
const CREDENTIAL = /((?:auth|access_token)(?:=|%3d))[^&;/?]*/gi
/** What is as long as a secret that was made here, or as the signature of a token. */
const SECRET_LIKE = /[A-Za-z0-9_-]{40,}/g

/** What a request came to. */
interface Ending {
  readonly operation: Operation
  readonly reply: Response
  readonly milliseconds: number
}

/** A request and its answer, for whoever observes. Most look at a few numbers; only log lines need the rest. */
export class AnsweredRequest implements EndedRequest {
  readonly operation: Operation
  readonly status: number
  readonly milliseconds: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly #request: Request
  readonly #listener: Listener | null
  readonly #transport: Transport

  constructor(
    request: Request,
    listener: Listener | null,
    transport: Transport,
    { operation, reply, milliseconds }: Ending,
  ) {
    this.operation = operation
    this.status = reply.status
    this.milliseconds = milliseconds
    this.bytesIn = receivedBytes(request)
    this.bytesOut = request.method === 'HEAD' ? 0 : sentBytes(reply)
    this.#request = request
    this.#listener = listener
    this.#transport = transport
  }

  get id(): string {
    return requestIdOf(this.#request)
  }

  get method(): string {
    return this.#request.method
  }

  get path(): string {
    // What is no path of ours may be anything.
    return this.operation === 'other' ? '' : loggedPath(this.#request.url)
  }

  get address(): string | undefined {
    return this.#transport.addressOf(this.#request, this.#listener)
  }
}

/** Path of a URL for the log: credentials stand in the query string, so that is left out. */
export function loggedPath(url: string): string {
  const target = url.replace(/^[a-z]+:\/\/[^/]*/, '')
  const path = target
    .replace(/[?#].*$/s, '')
    .replace(CREDENTIAL, '$1…')
    .replace(SECRET_LIKE, '…')
  return path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path
}
