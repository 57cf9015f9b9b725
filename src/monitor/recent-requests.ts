import type { EndedRequest, Operation, Refusal } from '../observer.ts'

/** Requests of each kind that are kept. */
const KEPT = 200
/** Most requests of a kind that are kept in a second, beyond a burst of `KEPT`: more cost nothing. */
const MOST_PER_SECOND = 100
const INTERVAL_MS = 1000 / MOST_PER_SECOND
const BURST_MS = KEPT * INTERVAL_MS
const FIRST_REFUSAL = 400
/** The client has left: nothing was refused. */
const ABORTED = 499
const DEFAULT_SLOW_MS = 1000
/** Requests of monitoring and of the console itself, which are shown only when they are slow or refused. */
const OWN: ReadonlySet<Operation> = new Set<Operation>(['system', 'admin', 'console'])

/** `recent`: the last ones; `slow`: those that took long; `refused`: those answered with an error. */
export type RecentKind = 'recent' | 'slow' | 'refused'

/** A completed request. */
export interface KeptRequest {
  /** When it was answered, in milliseconds since 1970. */
  readonly at: number
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
  readonly operation: string
  readonly application?: string
  readonly address?: string
  readonly requestId: string
  readonly code?: string
  readonly rule?: NonNullable<Refusal['rule']>
}

/** The last requests of each kind. Of a flood a part is kept, so that a request costs no more than a comparison. */
export class RecentRequests {
  readonly #slowMs: number
  readonly #recent = new Ring()
  readonly #slow = new Ring()
  readonly #refused = new Ring()

  /** @param slowMs time from which a request is slow, in milliseconds; 0 means 1 second */
  constructor(slowMs = DEFAULT_SLOW_MS) {
    this.#slowMs = slowMs > 0 ? slowMs : DEFAULT_SLOW_MS
  }

  requestEnded(request: EndedRequest): void {
    const { status, milliseconds, startedAt } = request
    const now = startedAt + milliseconds
    // Of a flood most requests end here.
    const isRecent = this.#recent.takes(now) && !OWN.has(request.operation)
    const isSlow = milliseconds >= this.#slowMs && this.#slow.takes(now)
    const isRefused = status >= FIRST_REFUSAL && status !== ABORTED && this.#refused.takes(now)
    if (!isRecent && !isSlow && !isRefused) return
    const kept = keptOf(request)
    if (isRecent) this.#recent.add(kept)
    if (isSlow) this.#slow.add(kept)
    if (isRefused) this.#refused.add(kept)
  }

  /** Newest first. @param application only those of one application */
  read(kind: RecentKind, application?: string): KeptRequest[] {
    const ring = { recent: this.#recent, slow: this.#slow, refused: this.#refused }[kind]
    const all = ring.newestFirst()
    return application === undefined ? all : all.filter((request) => request.application === application)
  }
}

/** The last requests of one kind. */
class Ring {
  readonly #kept = new Array<KeptRequest | undefined>(KEPT).fill(undefined)
  #next = 0
  /** Time at which the requests that were kept would have been due one after the other. */
  #due = 0

  /** Whether one more is kept. @param now of a clock that only advances, in milliseconds */
  takes(now: number): boolean {
    const due = Math.max(this.#due, now) + INTERVAL_MS
    if (due - now > BURST_MS) return false
    this.#due = due
    return true
  }

  add(request: KeptRequest): void {
    this.#kept[this.#next] = request
    this.#next = (this.#next + 1) % KEPT
  }

  newestFirst(): KeptRequest[] {
    const oldestFirst = [...this.#kept.slice(this.#next), ...this.#kept.slice(0, this.#next)]
    return oldestFirst.filter((request) => request !== undefined).reverse()
  }
}

function keptOf(request: EndedRequest): KeptRequest {
  const { method, path, status, milliseconds, operation, applicationId, address, id, refusal } = request
  return {
    at: Date.now(),
    method,
    path,
    status,
    ms: Math.round(milliseconds * 1000) / 1000,
    operation,
    ...(applicationId === undefined ? {} : { application: applicationId }),
    ...(address === undefined ? {} : { address }),
    requestId: id,
    ...(refusal === undefined ? {} : refusal),
  }
}
