import type { Path } from '../tree/path.ts'
import { Batch, type NumberedEvent } from './batch.ts'
import { eventAt, type Form } from './event.ts'
import type { Source } from './source.ts'
import { type Subscriber, TOO_LARGE } from './subscriber.ts'
import type { NumberedChange, Topic } from './topic.ts'

/** Everybody who listens to the same node in the same form. */
export class NodeTopic implements Topic {
  readonly path: Path
  readonly subscribers = new Set<Subscriber>()
  readonly #form: Form
  readonly #source: Source
  readonly #maxEvent: number
  #events: NumberedEvent[] = []

  /** @param maxEvent longest data of one event, in UTF-16 code units */
  constructor(path: Path, form: Form, source: Source, maxEvent: number) {
    this.path = path
    this.#form = form
    this.#source = source
    this.#maxEvent = maxEvent
  }

  note(change: NumberedChange): void {
    const event = eventAt(change, this.path, this.#form)
    if (event !== undefined) this.#events.push({ ...event, seq: change.seq })
  }

  flush(seq: number): void {
    if (this.#events.length === 0) return
    const events = this.#events
    this.#events = []
    if (events.some(({ data }) => data.length > this.#maxEvent)) {
      for (const subscriber of [...this.subscribers]) subscriber.end(TOO_LARGE)
      return
    }
    const batch = new Batch(events, seq)
    for (const subscriber of this.subscribers) subscriber.deliver(batch)
  }

  /** Tells a subscriber what has changed since it was here last. */
  resume(subscriber: Subscriber, missed: readonly NumberedChange[], seq: number): void {
    const events = missed.flatMap((change) => {
      const event = eventAt(change, this.path, this.#form)
      return event === undefined ? [] : [{ ...event, seq: change.seq }]
    })
    subscriber.start(new Batch(events, seq))
  }

  async begin(subscriber: Subscriber): Promise<void> {
    const { seq, value } = await this.#source.read(this.path, undefined)
    const data = (this.#form === 'plain' ? value?.plain : value?.export) ?? 'null'
    subscriber.start(new Batch([{ kind: 'put', path: '/', data, seq }], seq))
  }
}
