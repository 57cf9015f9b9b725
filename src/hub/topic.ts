import type { Change } from '../tree/change.ts'
import { deliveryPace } from './delivery-pace.ts'
import type { Form } from './event.ts'
import { EventBatch, type NumberedEvent } from './event-batch.ts'
import { TOO_LARGE } from './sink.ts'
import type { Subscriber } from './subscriber.ts'

/** A durable change and the number of its commit. */
export interface NumberedChange extends Change {
  readonly seq: number
}

/** Bounds of a topic, in UTF-16 code units. */
export interface TopicSettings {
  /** Longest data of one event. */
  readonly maxEvent: number
  /** About how much of a catch-up, or of what waits, is delivered in one turn of the event loop. */
  readonly pieceLength: number
}

/** What several subscribers listen to together. */
export interface Topic {
  readonly subscribers: Set<Subscriber>
  readonly form: Form
  /** Forms in which it prints written values. */
  readonly printed: readonly Form[]
  /** Collects a change that may concern the topic. */
  collect(change: NumberedChange): void
  /** Delivers the collected changes. */
  flush(): void
  /**
   * Sends the current data to a subscriber.
   * @throws `permission-denied`, `read-too-big`, `unavailable`
   */
  begin(subscriber: Subscriber): Promise<void>
  /** Sends a subscriber what it has missed, up to a commit. Absent if the topic can only begin. */
  resume?(subscriber: Subscriber, missed: readonly NumberedChange[], seq: number): Promise<void>
}

/**
 * Delivers events to all subscribers in one batch. An event that is too long ends their streams.
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
  deliveryPace.deliver(new EventBatch(events), subscribers)
}
