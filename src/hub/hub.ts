import { type Query, queryName } from '../query/query.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import { loopTurn } from '../scheduling/loop-turn.ts'
import type { Steps } from '../scheduling/steps.ts'
import type { Path } from '../tree/path.ts'
import type { Form } from './event.ts'
import { KeepAlive } from './keep-alive.ts'
import { NodeTopic } from './node-topic.ts'
import { PathIndex } from './path-index.ts'
import { Publications, type PublishingTurns } from './publications.ts'
import { QueryTopic } from './query-topic.ts'
import type { EndReason, Sink } from './sink.ts'
import { Subscriber, type SubscriberKeeper, type WaitingSettings } from './subscriber.ts'
import {
  beginBroadcasts,
  type NumberedChange,
  type Snapshot,
  type SnapshotSource,
  type Topic,
  type TopicSettings,
} from './topic.ts'

export interface Subscription {
  readonly path: Path
  readonly query: Query | undefined
  readonly form: Form
}

const NOTHING: readonly Path[] = []
/**
 * Pieces of a publication without a look at the time: to collect a change for one topic, and to deliver it. To look costs a
 * callback of the event loop.
 */
const FIRST_PIECES = 2

/** A topic, and the hub for its subscribers. */
interface KeptTopic {
  readonly topic: Topic
  readonly keeper: SubscriberKeeper
}

/** Changes of a node that a listener has missed. */
export interface MissedChanges {
  readonly changes: readonly NumberedChange[]
  /** Number of the commit up to which they are complete. */
  readonly seq: number
}

export interface Listener {
  readonly sink: Sink
  /** Finds what a returning listener has missed, to send it in place of a snapshot; `undefined` if that is lost. */
  readonly missed?: (() => Promise<MissedChanges | undefined>) | undefined
}

export interface HubSettings extends TopicSettings, WaitingSettings {
  /** Time without events after which a client gets a keep-alive, in milliseconds. */
  readonly keepAliveMs: number
  readonly publishing?: PublishingTurns
}

/** Reports what happens to subscribers. */
export interface HubEvents {
  readonly onOpened: (() => void) | undefined
  readonly onClosed: (() => void) | undefined
  /** Called when events were dropped because a subscriber reads too slowly. */
  readonly onLost: (() => void) | undefined
}

const MEBI = 1024 * 1024

export const defaultStreams: HubSettings = {
  maxWaiting: 8 * MEBI,
  maxEvent: 256 * MEBI,
  pieceLength: MEBI / 4,
  keepAliveMs: 30_000,
}

/**
 * Delivers durable changes to subscribers. A change finds the topics above, at and below its path; each topic makes its
 * events once for all its subscribers.
 * @see docs/explanation/streams.md#hub
 */
export class Hub {
  readonly #source: SnapshotSource
  readonly #settings: HubSettings
  readonly #events: HubEvents | undefined
  readonly #topics = new PathIndex<KeptTopic>()
  readonly #keepAlive: KeepAlive
  readonly #publications: Publications

  constructor(source: SnapshotSource, settings: HubSettings, events?: HubEvents) {
    this.#publications = new Publications((changes) => this.#publish(changes), settings.publishing)
    this.#source = deliveredSource(source, this.#publications)
    this.#settings = settings
    this.#events = events
    this.#keepAlive = new KeepAlive(settings.keepAliveMs)
  }

  /** Number of subscribers. */
  get size(): number {
    return this.#keepAlive.size
  }

  /**
   * Sends a sink what is at and below a node, or what a query selects of it, and then every change, once and in order.
   * @returns must be closed when the listener leaves
   * @throws `permission-denied`, `read-too-big`, `unavailable`
   */
  async subscribe(subscription: Subscription, { sink, missed }: Listener): Promise<Subscriber> {
    const { topic, keeper } = this.#join(subscription)
    const subscriber = new Subscriber(sink, this.#settings, keeper)
    topic.subscribers.add(subscriber)
    this.#keepAlive.add(subscriber)
    this.#events?.onOpened?.()
    try {
      const since = topic.resume === undefined ? undefined : await missed?.()
      if (since === undefined) await topic.begin(subscriber)
      else {
        await this.delivered(since.seq)
        await topic.resume?.(subscriber, since.changes, since.seq)
      }
    } catch (error) {
      subscriber.close()
      throw error
    }
    return subscriber
  }

  /**
   * Delivers durable changes, in order, in several turns of the event loop where it takes long. Reads must see them
   * already. @throws what a topic throws, now or later
   */
  publish(changes: readonly NumberedChange[]): Awaitable<void> {
    if (this.#keepAlive.size > 0) return this.#publications.publish(changes)
  }

  /** Resolves when every published change up to a commit was delivered, or waits for slow subscribers only. */
  delivered(seq: number): Awaitable<unknown> {
    return this.#publications.delivered(seq)
  }

  /** Whether there is any subscriber. */
  get isWatched(): boolean {
    return this.#keepAlive.size > 0
  }

  /** Paths of watched nodes below one. @param inclusive whether that one counts */
  watchedBelow(path: Path, inclusive: boolean): readonly Path[] {
    return this.#keepAlive.size === 0 ? NOTHING : this.#topics.below(path, inclusive)
  }

  /** Forms in which a change at a path is printed, for the subscribers there and above. */
  formsAt(path: Path): ReadonlySet<Form> {
    const forms = new Set<Form>()
    if (this.#keepAlive.size === 0) return forms
    for (const kept of this.#topics.near({ kind: 'put', path, writes: [] })) {
      for (const form of kept?.topic.printed ?? []) forms.add(form)
    }
    return forms
  }

  /** Ends every stream, thousands of them in several turns of the event loop. */
  async end(): Promise<void> {
    for (const subscriber of [...this.#keepAlive]) {
      subscriber.end()
      if (loopTurn.isOver) await loopTurn.pause()
    }
  }

  /** Ends every stream at once. */
  close(reason?: EndReason): void {
    for (const subscriber of [...this.#keepAlive]) subscriber.end(reason)
    this.#keepAlive.stop()
  }

  *#publish(changes: readonly NumberedChange[]): Steps<void> {
    const concerned = new Set<Topic>()
    let pieces = 0
    for (const change of changes) {
      for (const kept of this.#topics.near(change)) {
        if (++pieces > FIRST_PIECES) yield
        if (kept === undefined) continue
        const steps = kept.topic.collect(change)
        if (steps !== undefined) yield* steps
        concerned.add(kept.topic)
      }
    }
    beginBroadcasts()
    for (const topic of concerned) {
      if (++pieces > FIRST_PIECES) yield
      topic.flush()
    }
  }

  #join({ path, query, form }: Subscription): KeptTopic {
    const name = `${form} ${query === undefined ? '' : queryName(query)}`
    const known = this.#topics.get(path, name)
    if (known !== undefined) return known
    const topic = this.#makeTopic(path, query, form)
    const kept = { topic, keeper: this.#keeperOf(topic, () => this.#topics.remove(path, name)) }
    this.#topics.add(path, name, kept)
    return kept
  }

  /** One for all subscribers of a topic, so that none has closures. @param remove called when the last one has left */
  #keeperOf(topic: Topic, remove: () => void): SubscriberKeeper {
    return {
      begin: (subscriber) => void topic.begin(subscriber).catch((error) => subscriber.fail(error)),
      mark: (subscriber, seq) => topic.mark(subscriber, seq),
      closed: (subscriber) => {
        topic.subscribers.delete(subscriber)
        this.#keepAlive.delete(subscriber)
        if (topic.subscribers.size === 0) remove()
        this.#events?.onClosed?.()
      },
      lost: () => this.#events?.onLost?.(),
    }
  }

  #makeTopic(path: Path, query: Query | undefined, form: Form): Topic {
    if (query === undefined) return new NodeTopic(path, form, this.#source, this.#settings)
    return new QueryTopic(path, query, form, this.#source, this.#settings.maxEvent)
  }
}

/** Reads what is delivered already: the subscribers of what is read need no event of it. */
function deliveredSource(source: SnapshotSource, publications: Publications): SnapshotSource {
  const whenDelivered = <T>(snapshot: Snapshot<T>): Awaitable<Snapshot<T>> => {
    const delivered = publications.delivered(snapshot.seq)
    return delivered instanceof Promise ? delivered.then(() => snapshot) : snapshot
  }
  return {
    read: (path, query, authorize) => {
      const read = source.read(path, query, authorize)
      return read instanceof Promise ? read.then(whenDelivered) : whenDelivered(read)
    },
  }
}
