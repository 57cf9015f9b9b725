import type { IndexName } from '../../../rows/indexes/index-name.ts'
import type { Settlement } from '../../commit/participant.ts'

/** A request for an index. */
export interface IndexRequest extends IndexName {
  /** Whether it is declared, and so exempt from the capacity. It replaces an index that should cover and does not. */
  readonly isDeclared: boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  /** Whether the index is complete in a transaction that may not be durable yet. */
  isAnswered: boolean
}

/** The open requests for indexes. */
export class IndexRequests {
  #waiting: IndexRequest[] = []

  /** All requests, oldest first. */
  get all(): readonly IndexRequest[] {
    return this.#waiting
  }

  get hasUnanswered(): boolean {
    return this.#waiting.some(({ isAnswered }) => !isAnswered)
  }

  add(request: Omit<IndexRequest, 'isAnswered'>): void {
    this.#waiting.push({ ...request, isAnswered: false })
  }

  /** Whether an index is requested. */
  has(index: IndexName): boolean {
    return this.#waiting.some((request) => isSame(request, index))
  }

  /** Rejects all requests for an index. */
  refuse(index: IndexName, error: unknown): void {
    for (const request of this.#waiting.filter((each) => isSame(each, index))) this.#take(request).reject(error)
  }

  /** Rejects all requests. */
  rejectAll(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  /** The transaction was rolled back. */
  forget(): void {
    for (const request of this.#waiting) request.isAnswered = false
  }

  /** The requests that the transaction answers. */
  answer(isDone: (request: IndexRequest) => boolean): Settlement[] {
    const answered = this.#waiting.filter((request) => !request.isAnswered && isDone(request))
    return answered.map((request) => {
      request.isAnswered = true
      return { resolve: () => this.#take(request).resolve(), reject: (error) => this.#take(request).reject(error) }
    })
  }

  #take(request: IndexRequest): IndexRequest {
    this.#waiting = this.#waiting.filter((other) => other !== request)
    return request
  }
}

function isSame(one: IndexName, other: IndexName): boolean {
  return one.listId === other.listId && one.name === other.name
}
