import type { Change } from '../tree/change.ts'
import type { Form } from './event.ts'
import { EventBatch, type NumberedEvent } from './event-batch.ts'
import { type Subscriber, TOO_LARGE } from './subscriber.ts'

/** A durable change and its number. */
export interface NumberedChange extends Change {
  readonly seq: number
}

/** Bounds of what a topic tells at a time, in UTF-16 code units. */
export interface TopicSettings {
  /** Longest data of one event. */
  readonly maxEvent: number
  /** Events of a catch-up, and events that have waited, that are handed over in one turn. */
  readonly pieceLength: number
}

/** What several subscribers listen to together. */
export interface Topic {
  readonly subscribers: Set<Subscriber>
  readonly form: Form
  /** Forms in which it prints what is written. */
  readonly printed: readonly Form[]
  /** A change that may concern it. */
  note(change: NumberedChange): void
  /** No more changes in this turn. */
  flush(): void
  /**
   * Tells a subscriber everything there is to know now.
   * @throws `permission-denied`, `read-too-big`, `unavailable`
   */
  begin(subscriber: Subscriber): Promise<void>
  /** Tells a subscriber what it has missed, up to a commit, instead of everything. Not every topic can. */
  resume?(subscriber: Subscriber, missed: readonly NumberedChange[], seq: number): Promise<void>
}

/**
 * Tells everybody, with bytes that are made once; ends their streams when there is too much to tell.
 * @param maxEvent longest data of one event, in UTF-16 code units
 */
export function broadcast(
  subscribers: ReadonlySet<Subscriber>,
  events: readonly NumberedEvent[],
  maxEvent: number,
): void {
  if (events.some(({ data }) => data.length > maxEvent)) {
    for (const subscriber of [...subscribers]) subscriber.end(TOO_LARGE)
    return
  }
  const batch = new EventBatch(events)
  for (const subscriber of subscribers) subscriber.deliver(batch)
}
