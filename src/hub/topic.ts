import type { Query } from '../query/query.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import { loopTurn } from '../scheduling/loop-turn.ts'
import type { Steps } from '../scheduling/steps.ts'
import type { Change } from '../tree/change.ts'
import type { ReadText } from '../tree/json/node-text.ts'
import type { Path } from '../tree/path.ts'
import type { Authorization } from '../tree/read-program.ts'
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

/** A value as of one commit. */
export interface Snapshot<T> {
  readonly seq: number
  readonly value: T
}

/** Reads what streams begin with. */
export interface SnapshotSource {
  /**
   * Reads a node, or what a query selects of it.
   * @throws `read-too-big`, `unavailable`, and what `authorize` throws
   */
  read(path: Path, query: Query | undefined, authorize: Authorization): Awaitable<Snapshot<ReadText | undefined>>
}

/** What several subscribers listen to together. */
export interface Topic {
  readonly subscribers: Set<Subscriber>
  readonly form: Form
  /** Forms in which it prints written values. */
  readonly printed: readonly Form[]
  /** Collects a change that may concern the topic. @returns steps to run where it has many writes */
  collect(change: NumberedChange): Steps<void> | undefined
  /** Delivers the collected changes. */
  flush(): void
  /** Delivers a mark to a subscriber, behind all events of the changes that were collected. */
  mark(subscriber: Subscriber, seq: number): void
  /**
   * Sends the current data to a subscriber.
   * @throws `permission-denied`, `read-too-big`, `unavailable`
   */
  begin(subscriber: Subscriber): Promise<void>
  /** Sends a subscriber what it has missed, up to a commit. Absent if the topic can only begin. */
  resume?(subscriber: Subscriber, missed: readonly NumberedChange[], seq: number): Promise<void>
}

/** Cost of one delivery beside its text, in UTF-16 code units: to encrypt so much takes as long as the rest. */
const DELIVERY_LENGTH = 4096
/** Cost of the deliveries of one publication from which they are spread over turns of the event loop: a few milliseconds. */
const LONG = 1024 * 1024

/**
 * Delivers one batch to many subscribers in several turns of the event loop. Until its turn, a subscriber keeps further
 * events behind the batch.
 */
class DeliveryPace {
  #waiting: Subscriber[] = []
  /** Cost of the deliveries of this publication that were made at once. */
  #spent = 0
  #isScheduled = false

  /** A publication begins, which may have batches for many topics. */
  begin(): void {
    this.#spent = 0
  }

  /** Delivers a batch to every subscriber: now, or in later turns where that takes long. */
  deliver(batch: EventBatch, subscribers: ReadonlySet<Subscriber>): void {
    const cost = subscribers.size * (batch.length + DELIVERY_LENGTH)
    if (this.#spent + cost <= LONG) {
      this.#spent += cost
      for (const subscriber of subscribers) subscriber.deliver(batch)
      return
    }
    for (const subscriber of subscribers) {
      if (this.#waiting.length === 0 && !loopTurn.isOver) subscriber.deliver(batch)
      else if (subscriber.postpone(batch)) this.#waiting.push(subscriber)
    }
    if (this.#waiting.length > 0 && !this.#isScheduled) void this.#goOn()
  }

  async #goOn(): Promise<void> {
    this.#isScheduled = true
    while (this.#waiting.length > 0) {
      await loopTurn.pause()
      const waiting = this.#waiting
      let next = 0
      do waiting[next++]?.deliverPostponed()
      while (next < waiting.length && !loopTurn.isOver)
      this.#waiting = waiting.slice(next)
    }
    this.#isScheduled = false
  }
}

/** Of the process, as the event loop is. */
const deliveryPace = new DeliveryPace()

/** Must be called before the batches of one publication. */
export function beginBroadcasts(): void {
  deliveryPace.begin()
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
