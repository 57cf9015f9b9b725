import type { StreamEvent } from './event.ts'
import { encode, frameText, frameTextWithId } from './frame.ts'

/** An event, and the number of the last commit it tells of. */
export interface NumberedEvent extends StreamEvent {
  readonly seq: number
}

/** Events for everybody who listens to the same thing, with bytes that are made once for all of them. */
export class Batch {
  readonly events: readonly NumberedEvent[]
  /** Number of the last commit it tells of. */
  readonly seq: number
  /** What it weighs in a mailbox, in UTF-16 code units. */
  readonly length: number
  /** Whether a stream, or what is left of it, begins with it. */
  readonly isBeginning: boolean
  #bytes: Uint8Array | undefined
  #bytesWithIds: Uint8Array | undefined

  constructor(events: readonly NumberedEvent[], seq: number, isBeginning = false) {
    this.events = events
    this.seq = seq
    this.isBeginning = isBeginning
    this.length = events.reduce((sum, { data, path }) => sum + data.length + path.length + EVENT_LENGTH, 0)
  }

  /** The events of commits after `seq`; `undefined` when there are none. */
  after(seq: number): Batch | undefined {
    const first = this.events[0]
    if (first !== undefined && first.seq > seq) return this
    const later = this.events.filter((event) => event.seq > seq)
    return later.length === 0 ? undefined : new Batch(later, this.seq)
  }

  get bytes(): Uint8Array {
    this.#bytes ??= encode(this.events.map(frameText).join(''))
    return this.#bytes
  }

  /** @param idOf the id of a commit by its number; the same for all who ask */
  bytesWithIds(idOf: (seq: number) => string): Uint8Array {
    this.#bytesWithIds ??= encode(this.events.map((event) => frameTextWithId(event, idOf(event.seq))).join(''))
    return this.#bytesWithIds
  }
}

/** Names and punctuation of one message. */
const EVENT_LENGTH = 40

/** Batches one after the other as one. */
export function joinBatches(batches: readonly Batch[]): Batch {
  const only = batches[0]
  if (only !== undefined && batches.length === 1) return only
  return new Batch(
    batches.flatMap(({ events }) => events),
    batches.at(-1)?.seq ?? 0,
  )
}
