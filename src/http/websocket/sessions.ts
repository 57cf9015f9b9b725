import type { Application } from '../../applications/application.ts'
import type { Authenticator } from '../../auth/authenticator.ts'
import type { Session } from './session.ts'

/** The open sessions of an application, by the ids that their clients know. */
export class Sessions {
  readonly #sessions = new Map<string, Session>()

  add(session: Session): void {
    this.#sessions.set(session.id, session)
  }

  remove({ id }: Session): void {
    this.#sessions.delete(id)
  }

  /** Ends a session whose connection its client has lost. Resolves when what the client wanted written then is written. */
  async end(id: string): Promise<void> {
    const session = this.#sessions.get(id)
    if (session === undefined) return
    session.end()
    await session.ended
  }
}

const sessions = new WeakMap<Authenticator, Sessions>()

export function sessionsOf({ authenticator }: Application): Sessions {
  let found = sessions.get(authenticator)
  if (found === undefined) {
    found = new Sessions()
    sessions.set(authenticator, found)
  }
  return found
}
