import type { StreamEvent } from './event.ts'
import { encode, framePieces, frameText } from './frame.ts'

/** Makes the id of a commit from its number. */
export type IdOf = (seq: number) => string

/** An event, and the number of the last commit it tells of. */
export interface NumberedEvent extends StreamEvent {
  readonly seq: number
}

/** Events without the bytes that are made of them. Those who wait for the same events keep the same object. */
export interface WaitingEvents {
  readonly events: readonly NumberedEvent[]
  /** Their weight, in UTF-16 code units. */
  readonly length: number
}

/** Events for everybody who listens to the same thing, with bytes that are made once for all of them. */
export class EventBatch {
  readonly events: readonly NumberedEvent[]
  /** Whether a stream, or what is left of it, begins with it. */
  readonly isBeginning: boolean
  #bytes: Uint8Array | undefined
  #bytesWithIds: Uint8Array | undefined
  #waiting: WaitingEvents | undefined
  #length: number | undefined

  constructor(events: readonly NumberedEvent[], isBeginning = false) {
    this.events = events
    this.isBeginning = isBeginning
  }

  /** The events for the mailboxes of those who cannot take them now. */
  get waiting(): WaitingEvents {
    this.#waiting ??= waitingOf(this.events)
    return this.#waiting
  }

  /** The weight of the events, in UTF-16 code units. */
  get length(): number {
    this.#length ??= weightOf(this.events)
    return this.#length
  }

  get bytes(): Uint8Array {
    this.#bytes ??= encode(this.events.map((event) => frameText(event, undefined)).join(''))
    return this.#bytes
  }

  /** @param idOf the same for all who ask */
  bytesWithIds(idOf: IdOf): Uint8Array {
    this.#bytesWithIds ??= encode(this.events.map((event) => frameText(event, idOf(event.seq))).join(''))
    return this.#bytesWithIds
  }

  /** The same text in pieces, for a batch that is too long to be encoded at once. None of them is kept. */
  *texts(idOf: IdOf | undefined): Generator<string, void> {
    for (const event of this.events) yield* framePieces(event, idOf?.(event.seq))
  }
}

/** Names and punctuation of one message. */
const EVENT_LENGTH = 40

export function waitingOf(events: readonly NumberedEvent[]): WaitingEvents {
  return { events, length: weightOf(events) }
}

function weightOf(events: readonly NumberedEvent[]): number {
  let length = 0
  for (const event of events) length += lengthOf(event)
  return length
}

/** What an event weighs, in UTF-16 code units. */
export function lengthOf({ data, path }: NumberedEvent): number {
  return data.length + path.length + EVENT_LENGTH
}

/** The events of commits after `seq`; `undefined` when there are none. */
export function laterThan(waiting: WaitingEvents, seq: number): WaitingEvents | undefined {
  const first = waiting.events[0]
  if (first !== undefined && first.seq > seq) return waiting
  const later = waiting.events.filter((event) => event.seq > seq)
  return later.length === 0 ? undefined : waitingOf(later)
}

/** Events that have waited, one after the other, as one batch. */
export function batchOf(waiting: readonly WaitingEvents[]): EventBatch {
  return new EventBatch(waiting.flatMap(({ events }) => events))
}
