import type { Application } from '../../../applications/application.ts'
import type { Authenticator } from '../../../auth/authenticator.ts'
import type { Polling } from '../polling/polling.ts'
import type { Session } from './session.ts'

/** The open sessions of an application, by the ids that their clients know. */
export class Sessions {
  readonly #sessions = new Map<string, Session>()
  readonly #pollings = new Map<string, Polling>()

  add(session: Session): void {
    this.#sessions.set(session.id, session)
  }

  remove({ id }: Session): void {
    this.#sessions.delete(id)
  }

  find(id: string): Session | undefined {
    return this.#sessions.get(id)
  }

  addPolling(polling: Polling): void {
    this.#pollings.set(polling.id, polling)
  }

  removePolling({ id }: Polling): void {
    this.#pollings.delete(id)
  }

  /** The client of long polling that knows the id and the password. */
  polling(id: string, password: string): Polling | undefined {
    const polling = this.#pollings.get(id)
    return polling?.password === password ? polling : undefined
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
