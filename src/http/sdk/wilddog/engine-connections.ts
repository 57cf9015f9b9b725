import type { Application } from '../../../applications/application.ts'
import type { Authenticator } from '../../../auth/authenticator.ts'
import type { Session } from '../session/session.ts'
import type { EngineConnection } from './engine-connection.ts'
import type { EnginePolling } from './engine-polling.ts'
import type { PayloadForm } from './payload.ts'

/** A connection whose client polls, or has polled. */
export interface PolledConnection {
  readonly connection: EngineConnection
  readonly polling: EnginePolling
  readonly session: Session
  /** Form of the payloads for the client. */
  readonly form: PayloadForm
}

const connections = new WeakMap<Authenticator, Map<string, PolledConnection>>()

/** The open connections of an application that later requests may name, by the ids that their clients know. */
export function connectionsOf({ authenticator }: Application): Map<string, PolledConnection> {
  let found = connections.get(authenticator)
  if (found === undefined) {
    found = new Map()
    connections.set(authenticator, found)
  }
  return found
}
