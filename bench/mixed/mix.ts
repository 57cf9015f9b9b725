/** The mix as bytes to send: one request after the other, each at a place of its own. */
import { stampedText } from '../load/stream-message.ts'
import { leafPaths, OBJECT_PATH, urlOf } from '../stock/blogs.ts'
import { queryTarget, questions, SPOTS, spotOf } from '../stock/questions.ts'
import { type Kind, kindOf, type MixedRequest, requestAt } from './schedule.ts'

/** Nodes that streams listen to. */
export const WATCHED = 20
/** Places that other requests are spread over, at most. */
const SCATTERED = 20_000

export interface Outgoing {
  readonly kind: Kind
  /** Whether streams are told of it. */
  readonly isWatched: boolean
  /** Head and body. */
  readonly text: string
}

export class Mix {
  /** Request targets of the nodes that streams listen to. */
  readonly watched: readonly string[]
  readonly #host: string
  readonly #scattered: readonly string[]
  readonly #queries: readonly string[]
  #sent = 0
  /** Requests of each sort, so that each takes its places in turns. */
  readonly #turns = new Map<MixedRequest, number>()

  /** @param size leaves of the tree, and children of the list of places */
  constructor(url: string, size: number) {
    this.#host = new URL(url).host
    const leaves = leafPaths(size, SCATTERED + WATCHED).map(urlOf)
    this.watched = leaves.slice(0, WATCHED)
    this.#scattered = leaves.slice(WATCHED)
    this.#queries = Array.from({ length: SPOTS }, (_, index) => queryTarget(questions.from.spec(spotOf(index), size)))
  }

  next(): Outgoing {
    return this.#make(requestAt(this.#sent++))
  }

  /** The next that only reads a node. */
  nextGet(): Outgoing {
    for (;;) {
      const request = requestAt(this.#sent++)
      if (kindOf(request) === 'get') return this.#make(request)
    }
  }

  #make(request: MixedRequest): Outgoing {
    const turn = this.#turns.get(request) ?? 0
    this.#turns.set(request, turn + 1)
    const kind = kindOf(request)
    const target = this.#target(request, turn)
    const text = kind === 'put' ? this.#put(target) : this.#get(target)
    return { kind, isWatched: request === 'PUT watched leaf', text }
  }

  #target(request: MixedRequest, turn: number): string {
    switch (request) {
      case 'GET hot leaf':
      case 'PUT watched leaf':
        return nth(this.watched, turn)
      case 'GET scattered leaf':
      case 'PUT scattered leaf':
        return nth(this.#scattered, turn)
      case 'GET 1 KB':
        return urlOf(OBJECT_PATH)
      case 'GET query':
        return nth(this.#queries, turn)
      default:
        return request satisfies never
    }
  }

  #get(target: string): string {
    return `GET ${target} HTTP/1.1\r\nHost: ${this.#host}\r\n\r\n`
  }

  /** Every value tells when it was sent, so no write finds what it brings. */
  #put(target: string): string {
    const body = JSON.stringify(stampedText())
    return `PUT ${target} HTTP/1.1\r\nHost: ${this.#host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }
}

function nth(targets: readonly string[], turn: number): string {
  return targets[turn % targets.length] ?? ''
}
