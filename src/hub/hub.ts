import { type Query, queryName } from '../query/query.ts'
import type { Path } from '../tree/path.ts'
import type { AuthorizeRead } from '../tree/read-program.ts'
import type { Form } from './event.ts'
import { KeepAlive } from './keep-alive.ts'
import { NodeTopic } from './node-topic.ts'
import { PathIndex } from './path-index.ts'
import { QueryTopic } from './query-topic.ts'
import type { Source } from './snapshot-source.ts'
import { type EndReason, reasonOf, type Sink, Subscriber } from './subscriber.ts'
import type { NumberedChange, Topic } from './topic.ts'

/** What somebody wants to listen to. */
export interface Subscription {
  readonly path: Path
  readonly query: Query | undefined
  readonly form: Form
}

const NOTHING: readonly Path[] = []

/** What somebody has missed of a node. */
export interface MissedChanges {
  readonly changes: readonly NumberedChange[]
  /** Number of the commit up to which these are all. */
  readonly seq: number
}

/** Who listens. */
export interface Listener {
  readonly sink: Sink
  /** Authorises the listener on the commit that its first snapshot is read from. */
  readonly authorize?: AuthorizeRead | undefined
  /**
   * Finds what a listener has missed that was here before: it is told that instead of all there is. `undefined` when
   * that cannot be told any more.
   */
  readonly missed?: (() => Promise<MissedChanges | undefined>) | undefined
}

export interface HubSettings {
  /** Most that may wait for one subscriber, in UTF-16 code units. */
  readonly maxWaiting: number
  /** Longest data of one event, in UTF-16 code units. Default: that of a read. */
  readonly maxEvent: number
  /** What has waited, and a catch-up, is handed over in pieces of so many UTF-16 code units. */
  readonly pieceLength: number
  /** Silence after which a client is told that nothing has happened, in milliseconds. */
  readonly keepAliveMs: number
}

/** What is told of subscribers. */
export interface HubEvents {
  readonly onOpened: (() => void) | undefined
  readonly onClosed: (() => void) | undefined
  /** One reads so slowly that what waited for it was dropped. */
  readonly onLost: (() => void) | undefined
}

const NOBODY: HubEvents = { onOpened: undefined, onClosed: undefined, onLost: undefined }

const MEBI = 1024 * 1024

export const defaultStreams: HubSettings = {
  maxWaiting: 8 * MEBI,
  maxEvent: 256 * MEBI,
  pieceLength: MEBI / 4,
  keepAliveMs: 30_000,
}

/**
 * Who watches what. A change finds those above, at and below it; what they are told is put together once for all who
 * listen to the same thing.
 * @see docs/explanation/streams.md#hub
 */
export class Hub {
  readonly #source: Source
  readonly #settings: HubSettings
  readonly #events: HubEvents
  readonly #topics = new PathIndex<Topic>()
  readonly #keepAlive: KeepAlive

  constructor(source: Source, settings: HubSettings, events: HubEvents = NOBODY) {
    this.#source = source
    this.#settings = settings
    this.#events = events
    this.#keepAlive = new KeepAlive(settings.keepAliveMs)
  }

  /** Number of subscribers. */
  get size(): number {
    return this.#keepAlive.size
  }

  /**
   * Begins to tell a sink everything at and below a node, or of what a query chooses: first all there is, then every
   * change, each once and in order.
   * @returns to be closed when nobody listens any more
   * @throws `permission-denied`, `read-too-big`, `unavailable`
   */
  async subscribe(subscription: Subscription, { sink, authorize, missed }: Listener): Promise<Subscriber> {
    const { topic, leave } = this.#join(subscription)
    const subscriber: Subscriber = new Subscriber({ sink, authorize }, this.#settings, {
      begin: () => void topic.begin(subscriber).catch((error) => subscriber.end(reasonOf(error))),
      closed: () => {
        topic.subscribers.delete(subscriber)
        this.#keepAlive.delete(subscriber)
        leave()
        this.#events.onClosed?.()
      },
      onLost: this.#events.onLost,
    })
    topic.subscribers.add(subscriber)
    this.#keepAlive.add(subscriber)
    this.#events.onOpened?.()
    try {
      const since = topic.resume === undefined ? undefined : await missed?.()
      if (since === undefined) await topic.begin(subscriber)
      else await topic.resume?.(subscriber, since.changes, since.seq)
    } catch (error) {
      subscriber.close()
      throw error
    }
    return subscriber
  }

  /** Changes that are durable now, in order. Reads see them already. */
  publish(changes: readonly NumberedChange[]): void {
    if (this.#keepAlive.size === 0) return
    const concerned = new Set<Topic>()
    for (const change of changes) {
      this.#topics.visit(change, (topic) => {
        topic.note(change)
        concerned.add(topic)
      })
    }
    for (const topic of concerned) topic.flush()
  }

  /** Paths of watched nodes below one. @param inclusive whether that one counts */
  watchedBelow(path: Path, inclusive: boolean): readonly Path[] {
    return this.#keepAlive.size === 0 ? NOTHING : this.#topics.below(path, inclusive)
  }

  /** In which forms somebody is told of a change at a path: those who listen there and above. */
  formsAt(path: Path): ReadonlySet<Form> {
    const forms = new Set<Form>()
    if (this.#keepAlive.size === 0) return forms
    this.#topics.visit({ kind: 'put', path, writes: [] }, ({ printed }) => {
      for (const form of printed) forms.add(form)
    })
    return forms
  }

  /** Ends every stream. */
  close(reason?: EndReason): void {
    for (const subscriber of [...this.#keepAlive]) subscriber.end(reason)
    this.#keepAlive.stop()
  }

  #join({ path, query, form }: Subscription): { topic: Topic; leave: () => void } {
    const name = `${form} ${query === undefined ? '' : queryName(query)}`
    let topic = this.#topics.get(path, name)
    if (topic === undefined) {
      topic =
        query === undefined
          ? new NodeTopic(path, form, this.#source, this.#settings)
          : new QueryTopic(path, query, form, this.#source, this.#settings.maxEvent)
      this.#topics.add(path, name, topic)
    }
    const joined = topic
    const leave = () => {
      if (joined.subscribers.size === 0 && this.#topics.get(path, name) === joined) this.#topics.remove(path, name)
    }
    return { topic: joined, leave }
  }
}
