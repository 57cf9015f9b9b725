import type { Authenticator } from '../auth/authenticator.ts'
import type { Database } from '../database/database.ts'

/** What an application is made of. */
export interface ApplicationParts {
  readonly database: Database
  /** Judges the credentials of its requests. */
  readonly authenticator: Authenticator
  /** Whether, as long as it has no rules of its own, it is open to programs and pages of this machine alone. */
  readonly isLoopbackOnly: boolean
  /** Told before the tree is closed, for what else is kept in its file. */
  readonly onClose?: () => void
}

/** One tree with its own file, secret, rules and settings. */
export interface Application extends Omit<ApplicationParts, 'onClose'> {
  /** Name in `?app=`, `?ns=` and host names. */
  readonly id: string
  /**
   * Keeps it open while a request is under way. To be called in the same turn in which the application was chosen.
   * @returns to be called when the request has ended; a second time does nothing
   */
  hold(): () => void
}
