/** What became of a write, as far as its client knows. */
export type Outcome =
  | 'acknowledged'
  /** It was answered with a refusal that means that nothing was done. */
  | 'refused'
  /** No answer, or 503: it may have been done, or be done later. */
  | 'unknown'

/** One write as its client saw it. Times are of one monotonic clock, in milliseconds. */
export interface SentWrite {
  /** A text that no other write has: it is part of what is written, or the path of what is deleted. */
  readonly id: string
  readonly what: string
  readonly sentAt: number
  /** Whether it was sent under an `Idempotency-Key`. */
  readonly isKeyed: boolean
  outcome: Outcome
  endedAt: number
  /** Status of the last answer; 0 for none. */
  status: number
  /** The key that a POST was answered with. */
  name?: string
  /** Place and text that its `if-match` was of. */
  readonly condition?: { readonly place: string; readonly text: string }
}

/** One GET that was answered. */
export interface SentRead {
  readonly place: string
  readonly text: string
  readonly sentAt: number
  readonly endedAt: number
}

/** A GET of the door that was let in or refused. */
export interface DoorRead {
  readonly isAllowed: boolean
  readonly sentAt: number
  readonly endedAt: number
}

/** Rules that were put. */
export interface SentRules {
  readonly version: number
  readonly sentAt: number
  outcome: Outcome
  endedAt: number
}

/** What all clients of a run have noted. */
export class History {
  readonly writes: SentWrite[] = []
  readonly reads: SentRead[] = []
  readonly rules: SentRules[] = []
  readonly doorReads: DoorRead[] = []
  /** What is wrong at first sight. */
  readonly problems: string[] = []
  #ids = 0

  /** A text that nobody has had before. */
  freshId(): string {
    return `w${++this.#ids}w`
  }

  count(outcome: Outcome): number {
    return this.writes.filter((write) => write.outcome === outcome).length
  }
}
