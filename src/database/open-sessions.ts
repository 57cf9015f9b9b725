import type { Sink } from '../hub/sink.ts'
import type { Family } from '../query/query.ts'
import { atOnce } from '../scheduling/steps.ts'
import type { SessionText, TreeStore } from '../store/store.ts'
import type { PathLike } from '../tree/path.ts'
import type { DeclaredIndexes } from './declared-indexes.ts'
import type { WatchOptions } from './read-types.ts'
import type { Listening } from './streams/listening.ts'
import { requestedStream, type Streams } from './streams/streams.ts'

/** A session of a client. */
interface OpenSession {
  /** The tree is closed. */
  end(): void
  /** Resolves when it has ended, and what was left to do then is done. */
  readonly ended: Promise<void>
  /** All credentials have become invalid. */
  revoke(): void
}

/** The sessions of clients that use one tree, and what is left to do when they have ended. */
export class OpenSessions {
  readonly #store: TreeStore
  readonly #streams: Streams
  readonly #indexes: DeclaredIndexes
  readonly #profile: Family
  readonly #sessions = new Set<OpenSession>()

  constructor(store: TreeStore, streams: Streams, indexes: DeclaredIndexes, profile: Family) {
    this.#store = store
    this.#streams = streams
    this.#indexes = indexes
    this.#profile = profile
  }

  get areOpen(): boolean {
    return this.#sessions.size > 0
  }

  /** @returns must be called when the session has ended */
  add(session: OpenSession): () => void {
    this.#sessions.add(session)
    return () => this.#sessions.delete(session)
  }

  /**
   * As `Database.subscribe`, for a caller that may change, and that asks for marks.
   * @throws as `Database.watch`; `bad-parameter` for the path of a priority
   */
  async listen(path: PathLike, options: WatchOptions, sink: Sink): Promise<Listening> {
    const fresh = this.#store.fresh()
    if (fresh !== undefined) await fresh
    return this.#streams.listen(requestedStream(path, options, this.#profile, this.#indexes), sink)
  }

  /** Ends all sessions. Resolves when what was left to do is done. */
  async end(): Promise<void> {
    const sessions = [...this.#sessions]
    for (const session of sessions) session.end()
    await Promise.all(sessions.map(({ ended }) => ended))
  }

  /** All credentials have become invalid. */
  revoke(): void {
    for (const session of [...this.#sessions]) session.revoke()
  }

  /** Stores what is left to do when a session has ended, or removes it. Durable when it resolves. */
  async keep(sessionText: SessionText): Promise<void> {
    await this.#store.commit(() => atOnce(() => ({ result: undefined, sessionText })))
  }

  /** What was left to do when the tree was opened. */
  get left(): readonly SessionText[] {
    return this.#store.sessionTexts ?? []
  }
}
