import type { Settlement } from '../commit/participant.ts'

/** Which index. */
export interface IndexName {
  readonly listId: number
  readonly name: string
}

/** Somebody who waits for an index. */
export interface IndexRequest extends IndexName {
  /** Whether it is made however many there are. */
  readonly isDeclared: boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  /** Whether the index is there, in a transaction that may not be durable yet. */
  isAnswered: boolean
}

/** Those who wait for indexes. */
export class IndexRequests {
  #waiting: IndexRequest[] = []

  /** All of them, in the order in which they came. */
  get all(): readonly IndexRequest[] {
    return this.#waiting
  }

  get hasUnanswered(): boolean {
    return this.#waiting.some(({ isAnswered }) => !isAnswered)
  }

  add(request: Omit<IndexRequest, 'isAnswered'>): void {
    this.#waiting.push({ ...request, isAnswered: false })
  }

  /** Whether somebody waits for an index. */
  has(index: IndexName): boolean {
    return this.#waiting.some((request) => isSame(request, index))
  }

  /** Rejects all that wait for an index. */
  refuse(index: IndexName, error: unknown): void {
    for (const request of this.#waiting.filter((each) => isSame(each, index))) this.#take(request).reject(error)
  }

  /** Rejects all of them. */
  rejectAll(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  /** The transaction was taken back. */
  forget(): void {
    for (const request of this.#waiting) request.isAnswered = false
  }

  /** Those that need not wait any longer than for this transaction. */
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
