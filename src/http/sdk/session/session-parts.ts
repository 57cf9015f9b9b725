import type { Application } from '../../../applications/application.ts'
import type { ReserveMemory } from '../../../hub/mailbox.ts'
import type { OpenStreams } from '../../streams/open-streams.ts'
import type { ClientPlace } from './identity.ts'
import type { Dialect } from './messages.ts'

/** What a session is made of. */
export interface SessionParts {
  readonly application: Application
  /** Host with its port, as the client has sent it: it connects there again. */
  readonly host: string
  readonly dialect: Dialect
  readonly place: ClientPlace
  readonly streams: OpenStreams
  readonly reserve: ReserveMemory
  /** Maximum waiting events of all listens, in UTF-16 code units. */
  readonly maxWaiting: number
  readonly onFailed: (error: unknown) => void
  /** Called once, when the session has ended and what its client wanted written then is written. */
  readonly onEnded: () => void
}
