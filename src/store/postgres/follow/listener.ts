import { SQL } from 'bun'
import { ConnectionLost } from '../connection/database-errors.ts'
import { withoutVariables } from '../connection/hidden-variables.ts'
import type { ConnectionOptions, Statements } from '../connection/lane.ts'
import type { Primary } from '../connection/primary.ts'

/** How long a notification that this process sends itself may take, in milliseconds. */
const ECHO_MS = 5000
/** Longest time of looking for the server, in milliseconds. */
const FIND_MS = 5000
/** Beginning of a notification that looks whether notifications arrive. */
const ECHO = '?'

/** Notifications do not arrive, because something between this process and the database drops them. */
class NoNotifications extends Error {
  constructor() {
    super(
      'notifications do not arrive, as through a pooler: set DATABASE_LISTEN_URL to the address of the database itself, or HINTS=poll',
    )
  }
}

interface ListeningClient {
  readonly client: SQL
  readonly server: ConnectionOptions
  /** Resolves when it listens; rejects when its connection is lost before. */
  readonly listening: Promise<void>
}

/** Settings of a listener. */
export interface ListenerSettings {
  /** Server that the connections of this process use. */
  readonly primary: Primary
  /** The same servers by addresses of their own, when those of `primary` are of a pooler. */
  readonly direct?: Primary | undefined
  readonly channel: string
  /** Called with each notification. */
  readonly onHeard: (payload: string) => void
  /** Called when it listens: earlier notifications are lost. */
  readonly onListens: () => void
}

/** Connection for notifications, to the server that takes writes. When it is lost, `connect` opens another one. */
export class Listener {
  readonly #settings: ListenerSettings
  #open: ListeningClient | undefined
  #isFinding = false
  #isClosed = false
  #echo: { readonly payload: string; readonly heard: () => void } | undefined

  constructor(settings: ListenerSettings) {
    this.#settings = settings
  }

  /** Listens, unless it does. */
  connect(): void {
    const { primary, direct } = this.#settings
    if (direct === undefined) this.#connectTo(primary.server)
    // It is away: the next call looks again.
    else if (this.#open === undefined) this.#find(direct).catch(() => {})
  }

  /** Notifies all that listen, this process too. What cannot be sent is lost. */
  async notify(payload: string): Promise<void> {
    await this.#open?.client.notify(this.#settings.channel, payload).catch(() => {})
  }

  /**
   * Listens, and finds out whether a notification of another session arrives.
   * @throws `NoNotifications`, and what the database throws
   */
  async check(statements: Statements): Promise<void> {
    const { primary, direct, channel } = this.#settings
    if (direct === undefined) this.#connectTo(primary.server)
    else await this.#find(direct)
    const open = this.#open
    if (open === undefined) throw new ConnectionLost('no connection for notifications')
    await open.listening
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#echo = { payload: ECHO + crypto.randomUUID(), heard: () => resolve(true) }
    const timer = setTimeout(() => resolve(false), ECHO_MS)
    try {
      await statements.query('SELECT FROM pg_notify($1::text, $2::text)', [channel, this.#echo.payload])
      if (await promise) return
    } finally {
      clearTimeout(timer)
      this.#echo = undefined
    }
    throw this.#open === open ? new NoNotifications() : new ConnectionLost('the connection for notifications was lost')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#open?.client.close({ timeout: 0 }).catch(() => {})
  }

  /** Looks which server takes writes: the driver knows one server only. */
  async #find(direct: Primary): Promise<void> {
    if (this.#isFinding) return
    this.#isFinding = true
    try {
      const lane = await direct.open(FIND_MS)
      void lane.close()
      this.#connectTo(direct.server)
    } finally {
      this.#isFinding = false
    }
  }

  #connectTo(server: ConnectionOptions | undefined): void {
    if (server === undefined || server === this.#open?.server || this.#isClosed) return
    void this.#open?.client.close({ timeout: 0 }).catch(() => {})
    const connection = { ...(server as SQL.PostgresOrMySQLOptions).connection, synchronous_commit: 'off' }
    const { promise: listening, resolve, reject } = Promise.withResolvers<void>()
    listening.catch(() => {})
    // The caller connects again: the client would print each of its own attempts.
    const lost = (error: unknown) => {
      reject(new ConnectionLost(error))
      this.#lost(open)
    }
    const client = withoutVariables(() => new SQL({ ...server, connection, max: 1, onclose: lost } as SQL.Options))
    const open = { client, server, listening }
    this.#open = open
    const listens = () => {
      resolve()
      this.#settings.onListens()
    }
    client.listen(this.#settings.channel, (payload) => this.#heard(payload), listens).catch(lost)
  }

  #lost(open: ListeningClient): void {
    if (this.#open === open) this.#open = undefined
    void open.client.close({ timeout: 0 }).catch(() => {})
  }

  #heard(payload: string): void {
    if (payload === this.#echo?.payload) this.#echo.heard()
    if (!payload.startsWith(ECHO)) this.#settings.onHeard(payload)
  }
}
