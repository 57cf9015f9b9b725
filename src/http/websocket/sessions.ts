import type { Application } from '../../applications/application.ts'
import type { Authenticator } from '../../auth/authenticator.ts'
import type { Connection } from './connection.ts'

/** The open connections of an application, by the ids that their clients know. */
export class Sessions {
  readonly #connections = new Map<string, Connection>()

  add(connection: Connection): void {
    this.#connections.set(connection.id, connection)
  }

  remove({ id }: Connection): void {
    this.#connections.delete(id)
  }

  /** Ends a connection that its client has lost. Resolves when what the client wanted written then is written. */
  async end(id: string): Promise<void> {
    const connection = this.#connections.get(id)
    if (connection === undefined) return
    connection.end()
    await connection.ended
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
