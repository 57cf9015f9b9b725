import type { Application } from '../../../applications/application.ts'
import type { Authenticator } from '../../../auth/authenticator.ts'
import type { Connection } from '../connection/connection.ts'
import type { Polling } from '../polling/polling.ts'

/** The open sessions of an application, by the ids that their clients know. */
export class Sessions {
  readonly #connections = new Map<string, Connection>()
  readonly #pollings = new Map<string, Polling>()

  add(connection: Connection): void {
    this.#connections.set(connection.session.id, connection)
  }

  remove({ session: { id } }: Connection): void {
    this.#connections.delete(id)
  }

  /** The connection of a session. */
  find(id: string): Connection | undefined {
    return this.#connections.get(id)
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

  /**
   * Ends a session whose connection its client has lost, if it is one of this process. Resolves when what the client wanted
   * written then is written. @returns whether it is
   */
  async end(id: string): Promise<boolean> {
    const session = this.#connections.get(id)?.session
    if (session === undefined) return false
    session.end()
    await session.ended
    return true
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
