import type { Path } from '../tree/path.ts'
import { Batch, type NumberedEvent } from './batch.ts'
import { eventAt, type Form, textOf } from './event.ts'
import type { Source } from './source.ts'
import type { Subscriber } from './subscriber.ts'
import { type NumberedChange, type Topic, tellAll } from './topic.ts'

/** Data of events that is printed without a pause, in UTF-16 code units. */
const SLICE_LENGTH = 262_144

/** Everybody who listens to the same node in the same form. */
export class NodeTopic implements Topic {
  readonly #path: Path
  readonly subscribers = new Set<Subscriber>()
  readonly form: Form
  readonly #source: Source
  readonly #maxEvent: number
  #events: NumberedEvent[] = []

  /** @param maxEvent longest data of one event, in UTF-16 code units */
  constructor(path: Path, form: Form, source: Source, maxEvent: number) {
    this.#path = path
    this.form = form
    this.#source = source
    this.#maxEvent = maxEvent
  }

  note(change: NumberedChange): void {
    const event = eventAt(change, this.#path, this.form)
    if (event !== undefined) this.#events.push({ ...event, seq: change.seq })
  }

  flush(seq: number): void {
    if (this.#events.length === 0) return
    const events = this.#events
    this.#events = []
    tellAll(this.subscribers, events, seq, this.#maxEvent)
  }

  /** Tells a subscriber what has changed since it was here last. */
  async resume(subscriber: Subscriber, missed: readonly NumberedChange[], seq: number): Promise<void> {
    const events: NumberedEvent[] = []
    let length = 0
    for (const change of missed) {
      const event = eventAt(change, this.#path, this.form)
      if (event === undefined) continue
      events.push({ ...event, seq: change.seq })
      length += event.data.length
      if (length < SLICE_LENGTH) continue
      length = 0
      await new Promise(setImmediate)
    }
    subscriber.start(new Batch(events, seq, true))
  }

  async begin(subscriber: Subscriber): Promise<void> {
    const { seq, value } = await this.#source.read(this.#path, undefined, subscriber.judging)
    subscriber.start(new Batch([{ kind: 'put', path: '/', data: textOf(value, this.form), seq }], seq, true))
  }
}
