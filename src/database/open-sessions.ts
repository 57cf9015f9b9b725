import { atOnce } from '../scheduling/steps.ts'
import type { SessionText, TreeStore } from '../store/store.ts'

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
  readonly #sessions = new Set<OpenSession>()

  constructor(store: TreeStore) {
    this.#store = store
  }

  get areOpen(): boolean {
    return this.#sessions.size > 0
  }

  /** @returns must be called when the session has ended */
  add(session: OpenSession): () => void {
    this.#sessions.add(session)
    return () => this.#sessions.delete(session)
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
