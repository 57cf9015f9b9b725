import type { Sink } from '../hub/sink.ts'
import type { Family } from '../query/query.ts'
import type { JobOutcome, TreeStore } from '../store/store.ts'
import type { SessionChange, StoredSessions } from '../store/stored-sessions.ts'
import type { PathLike } from '../tree/path.ts'
import type { JobReads } from '../tree/read-program.ts'
import type { DeclaredIndexes } from './declared-indexes.ts'
import type { WatchOptions } from './read-types.ts'
import type { Listening } from './streams/listening.ts'
import { requestedStream, type Streams } from './streams/streams.ts'
import { ValueGone } from './writes/write-request.ts'

/** Pause before work that has failed is tried again, in milliseconds. It doubles each time. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000

/** A session of a client. */
interface OpenSession {
  readonly id: string
  /** Whether something is stored of it. */
  readonly isStored: boolean
  /** The tree is closed, or another process has taken over the session. */
  end(): void
  /** Resolves when it has ended, and what was left to do then is done. */
  readonly ended: Promise<void>
  /** All credentials have become invalid. */
  revoke(): void
}

/** Callbacks about sessions. */
export interface SessionEvents {
  /** A value that a client has left was written, or dropped because it was refused. */
  readonly onLeftValue?: ((outcome: 'written' | 'dropped') => void) | undefined
  /** What a session of another process has left is written here. */
  readonly onTaken?: (() => void) | undefined
}

interface SessionsParts {
  readonly store: TreeStore
  readonly streams: Streams
  readonly indexes: DeclaredIndexes
  readonly profile: Family
  readonly events: SessionEvents
  readonly onTroubled: (error: unknown) => void
}

/** The sessions of clients that use one tree, and what is left to do when they have ended. */
export class OpenSessions {
  readonly #parts: SessionsParts
  readonly #sessions = new Set<OpenSession>()
  /** Of work that is tried again. */
  readonly #timers = new Set<Timer>()
  #isClosed = false

  constructor(parts: SessionsParts) {
    this.#parts = parts
    parts.store.sessions.onTaken(() => void this.#endLost())
  }

  /** Whether there is a session, or something that a session has left to do. */
  get areOpen(): boolean {
    return this.#sessions.size > 0 || this.#timers.size > 0
  }

  get events(): SessionEvents {
    return this.#parts.events
  }

  /** What is stored of sessions. */
  get stored(): StoredSessions {
    return this.#parts.store.sessions
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
    const { store, streams, profile, indexes } = this.#parts
    const fresh = store.fresh()
    if (fresh !== undefined) await fresh
    return streams.listen(requestedStream(path, options, profile, indexes), sink)
  }

  /** Ends all sessions. Resolves when what was left to do is done, or has failed. */
  async end(): Promise<void> {
    const sessions = [...this.#sessions]
    for (const session of sessions) session.end()
    await Promise.all(sessions.map(({ ended }) => ended))
  }

  /** Ends all sessions for good: nothing is tried again. */
  async close(): Promise<void> {
    await this.end()
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  /** All credentials have become invalid. */
  revoke(): void {
    for (const session of [...this.#sessions]) session.revoke()
  }

  /**
   * Changes what is stored of a session. Durable when it resolves.
   * @param isNew whether nothing is stored of it
   * @throws ValueGone when it belongs to another process, or is not stored any more
   */
  async store(change: SessionChange, isNew: boolean): Promise<void> {
    await this.#parts.store.commit(function* (): JobReads<JobOutcome<undefined>> {
      if (!isNew && !(yield { kind: 'session', session: change.session })) throw new ValueGone()
      return { result: undefined, session: change }
    })
  }

  /** Does work that has failed again, until it succeeds or the tree is closed. */
  later(work: () => Promise<void>, pauseMs = FIRST_PAUSE_MS): void {
    if (this.#isClosed) return
    const timer = setTimeout(() => {
      work()
        .catch((error) => {
          this.#parts.onTroubled(error)
          this.later(work, Math.min(2 * pauseMs, LONGEST_PAUSE_MS))
        })
        .finally(() => this.#timers.delete(timer))
    }, pauseMs)
    timer.unref()
    this.#timers.add(timer)
  }

  /** Ends the sessions that another process has taken over: their clients connect again. */
  async #endLost(): Promise<void> {
    const stored = new Map([...this.#sessions].filter(({ isStored }) => isStored).map((each) => [each.id, each]))
    if (stored.size === 0) return
    try {
      for (const id of await this.stored.lost([...stored.keys()])) stored.get(id)?.end()
    } catch (error) {
      if (!this.#isClosed) this.#parts.onTroubled(error)
    }
  }
}
