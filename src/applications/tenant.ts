import type { Authenticator } from '../auth/authenticator.ts'
import type { Database } from '../database/database.ts'
import type { Messages } from '../sms/messages.ts'
import type { Application, ApplicationParts } from './application.ts'

const NOTHING_HELD = () => {}

/** An open application, the requests that hold it, and the time of its last use. */
export class Tenant implements Application {
  readonly id: string
  readonly database: Database
  readonly messages: Messages
  readonly authenticator: Authenticator
  readonly isLoopbackOnly: boolean
  /** Whether it stays open while idle. */
  readonly isKept: boolean
  readonly #onClose: (() => void) | undefined
  /** Time of the last use, by `performance.now()`. */
  usedAt = performance.now()
  /** Settles when it is closed; `undefined` while it is open. */
  closing: Promise<void> | undefined
  #holds = 0

  constructor(
    id: string,
    { database, messages, authenticator, isLoopbackOnly, onClose }: ApplicationParts,
    isKept: boolean,
  ) {
    this.id = id
    this.database = database
    this.messages = messages
    this.authenticator = authenticator
    this.isLoopbackOnly = isLoopbackOnly
    this.#onClose = onClose
    this.isKept = isKept
  }

  hold(): () => void {
    // It is never idle, so its requests are not counted.
    if (this.isKept) return NOTHING_HELD
    this.#holds++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#holds--
      this.usedAt = performance.now()
    }
  }

  /** Whether it has a request or a stream. */
  get isBusy(): boolean {
    return this.#holds > 0 || this.database.isWatched
  }

  /** Completes pending work and closes the file. */
  close(): Promise<void> {
    this.closing ??= this.#end()
    return this.closing
  }

  #end(): Promise<void> {
    this.#onClose?.()
    return this.database.close()
  }
}
