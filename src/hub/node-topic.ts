import { loopTurn } from '../scheduling/loop-turn.ts'
import type { Steps } from '../scheduling/steps.ts'
import { inTurns } from '../scheduling/turns.ts'
import type { Path } from '../tree/path.ts'
import { areMany } from '../tree/writes-by-path.ts'
import { dataOf, eventAt, eventInSteps, type Form, type StreamEvent } from './event.ts'
import { EventBatch, lengthOf, markOf, type NumberedEvent, waitingOf } from './event-batch.ts'
import type { Subscriber } from './subscriber.ts'
import { broadcast, type NumberedChange, type SnapshotSource, type Topic, type TopicSettings } from './topic.ts'

/** The subscribers of one node in one form. */
export class NodeTopic implements Topic {
  readonly #path: Path
  readonly subscribers = new Set<Subscriber>()
  readonly form: Form
  readonly printed: readonly Form[]
  readonly #source: SnapshotSource
  readonly #settings: TopicSettings
  #events: NumberedEvent[] = []
  /** Whether a change is collected of which only the place is known. */
  #isUnknown = false

  constructor(path: Path, form: Form, source: SnapshotSource, settings: TopicSettings) {
    this.#path = path
    this.form = form
    this.printed = [form]
    this.#source = source
    this.#settings = settings
  }

  collect(change: NumberedChange): Steps<void> | undefined {
    if (change.isUnknown === true) this.#isUnknown = true
    if (this.#isUnknown) return undefined
    if (areMany(change.writes)) return this.#collectInSteps(change)
    this.#add(eventAt(change, this.#path, this.form), change.seq)
    return undefined
  }

  *#collectInSteps(change: NumberedChange): Steps<void> {
    this.#add(yield* eventInSteps(change, this.#path, this.form), change.seq)
  }

  #add(event: StreamEvent | undefined, seq: number): void {
    if (event !== undefined) this.#events.push({ ...event, seq })
  }

  flush(): void {
    const events = this.#events
    this.#events = []
    if (this.#isUnknown) {
      this.#isUnknown = false
      for (const subscriber of [...this.subscribers]) subscriber.beginAgain()
      return
    }
    if (events.length === 0) return
    broadcast(this.subscribers, events, this.#settings.maxEvent)
  }

  mark(subscriber: Subscriber, seq: number): void {
    subscriber.deliver(markOf(seq))
  }

  async resume(subscriber: Subscriber, missed: readonly NumberedChange[], seq: number): Promise<void> {
    const pieces: NumberedEvent[][] = [[]]
    let length = 0
    for (const change of missed) {
      const event = await inTurns(eventInSteps(change, this.#path, this.form))
      if (event === undefined) continue
      const numbered = { ...event, seq: change.seq }
      pieces.at(-1)?.push(numbered)
      length += lengthOf(numbered)
      if (length < this.#settings.pieceLength) continue
      length = 0
      pieces.push([])
      await loopTurn.pause()
    }
    const [first = [], ...rest] = pieces
    const more = rest.filter((events) => events.length > 0).map(waitingOf)
    subscriber.start({ seq, batch: new EventBatch(first, true), more })
  }

  async begin(subscriber: Subscriber): Promise<void> {
    const { seq, value } = await this.#source.read(this.#path, undefined, subscriber.authorize)
    const data = await dataOf(value, this.form)
    subscriber.start({ seq, batch: new EventBatch([{ kind: 'put', path: '/', data, seq }], true) })
  }
}
