import type { StreamEvent } from './event.ts'

/** An event, and the number of the last commit that it covers. */
export interface NumberedEvent extends StreamEvent {
  readonly seq: number
}

/** Events without their encoded bytes, as mailboxes keep them. Mailboxes share the object. */
export interface WaitingEvents {
  readonly events: readonly NumberedEvent[]
  /** Size in UTF-16 code units. */
  readonly length: number
}

/** Makes what a protocol sends of events. Batches keep it by the identity of the encoder. */
export interface EventEncoder<Encoded, Listened = undefined> {
  /** @param listened what is listened to, which is the same for all subscribers of a topic */
  encode(events: readonly NumberedEvent[], listened: Listened): Encoded
}

/** Events for all subscribers of a topic, encoded once for each encoder. */
export class EventBatch {
  readonly events: readonly NumberedEvent[]
  /** Whether a stream begins with it, possibly again. */
  readonly isBeginning: boolean
  /** The first encoder, and what it has made. */
  #encoder: object | undefined
  #encoded: unknown
  /** What all encoders but the first have made. */
  #others: Map<object, unknown> | undefined
  #waiting: WaitingEvents | undefined
  #length: number | undefined

  constructor(events: readonly NumberedEvent[], isBeginning = false) {
    this.events = events
    this.isBeginning = isBeginning
  }

  /** The events for the mailboxes of slow subscribers. */
  get waiting(): WaitingEvents {
    this.#waiting ??= waitingOf(this.events)
    return this.#waiting
  }

  /** Number of the last commit that it covers; -1 of no event. */
  get seq(): number {
    return this.events.at(-1)?.seq ?? -1
  }

  /** Size of the events, in UTF-16 code units. */
  get length(): number {
    this.#length ??= sizeOf(this.events)
    return this.#length
  }

  /** What an encoder makes of the events, kept for the next call. Called for every subscriber: see `bench/fan-out`. */
  encoded<Encoded, Listened>(encoder: EventEncoder<Encoded, Listened>, listened: Listened): Encoded {
    // What is kept for an encoder is what it has made.
    return (this.#encoder === encoder ? this.#encoded : this.#encode(encoder, listened)) as Encoded
  }

  #encode<Encoded, Listened>(encoder: EventEncoder<Encoded, Listened>, listened: Listened): unknown {
    if (this.#others?.has(encoder) === true) return this.#others.get(encoder)
    const encoded = encoder.encode(this.events, listened)
    if (this.#encoder === undefined) {
      this.#encoder = encoder
      this.#encoded = encoded
    } else {
      this.#others ??= new Map()
      this.#others.set(encoder, encoded)
    }
    return encoded
  }
}

/** Size of the names and the punctuation of one event. */
const EVENT_LENGTH = 40

export function waitingOf(events: readonly NumberedEvent[]): WaitingEvents {
  return { events, length: sizeOf(events) }
}

function sizeOf(events: readonly NumberedEvent[]): number {
  let length = 0
  for (const event of events) length += lengthOf(event)
  return length
}

/** Size of an event, in UTF-16 code units. */
export function lengthOf({ data, path }: NumberedEvent): number {
  return data.length + path.length + EVENT_LENGTH
}

/** Events of commits after `seq`; `undefined` if there are none. */
export function laterThan(waiting: WaitingEvents, seq: number): WaitingEvents | undefined {
  const first = waiting.events[0]
  if (first !== undefined && first.seq > seq) return waiting
  const later = waiting.events.filter((event) => event.seq > seq)
  return later.length === 0 ? undefined : waitingOf(later)
}

/** A batch with a mark behind the events of commits up to `seq`. */
export function markOf(seq: number): EventBatch {
  return new EventBatch([{ kind: 'mark', path: '', data: '', seq }])
}

/** Joins waiting events to one batch. */
export function batchOf(waiting: readonly WaitingEvents[]): EventBatch {
  return new EventBatch(waiting.flatMap(({ events }) => events))
}
