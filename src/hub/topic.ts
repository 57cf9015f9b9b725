import type { Change } from '../tree/change.ts'
import type { Path } from '../tree/path.ts'
import type { Subscriber } from './subscriber.ts'

/** A durable change and its number. */
export interface NumberedChange extends Change {
  readonly seq: number
}

/** What several subscribers listen to together. */
export interface Topic {
  readonly path: Path
  readonly subscribers: Set<Subscriber>
  /** A change that may concern it. */
  note(change: NumberedChange): void
  /** No more changes in this turn. @param seq number of the last one */
  flush(seq: number): void
  /** Tells a subscriber everything there is to know now. @throws `read-too-big`, `unavailable` */
  begin(subscriber: Subscriber): Promise<void>
  /** Tells a subscriber what it has missed, up to a commit, instead of everything. Not every topic can. */
  resume?(subscriber: Subscriber, missed: readonly NumberedChange[], seq: number): void
}
