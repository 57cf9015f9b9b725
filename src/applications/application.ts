import type { Authenticator } from '../auth/authenticator.ts'
import type { Database } from '../database/database.ts'
import type { Messages } from '../sms/messages.ts'

/** Parts of an application. */
export interface ApplicationParts {
  readonly database: Database
  /** Its text messages, in the same file. */
  readonly messages: Messages
  /** Checks the credentials of its requests. */
  readonly authenticator: Authenticator
  /** Whether it is open only to programs and pages of this machine while it has no rules of its own. */
  readonly isLoopbackOnly: boolean
  /** Called before the tree is closed, to stop other work on its file. */
  readonly onClose?: () => void
}

/** One tree with its own file, secret, rules and settings. */
export interface Application extends Omit<ApplicationParts, 'onClose'> {
  /** Name in `?app=`, `?ns=` and host names. */
  readonly id: string
  /**
   * Keeps it open during a request. Call it in the turn of the event loop in which the application was chosen.
   * @returns ends the hold; further calls do nothing
   */
  hold(): () => void
}
