import { StandbyError } from './database-errors.ts'
import { type ConnectionOptions, Lane } from './lane.ts'

/** The timeline is that of the next record to be written: the last checkpoint may still have the one before a promotion. */
const STATE =
  'SELECT r.standby, CASE WHEN NOT r.standby THEN (SELECT s.system_identifier FROM pg_control_system() s)::text ' +
  "|| '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS history FROM (SELECT pg_is_in_recovery() AS standby) r"

/** The server of an address that takes writes: of several hosts the one that is no standby. */
export class Primary {
  /** Called with each new connection before it is used. What it throws refuses the connection. */
  onOpened: ((lane: Lane) => Promise<void>) | undefined
  readonly #servers: readonly ConnectionOptions[]
  #current = 0
  #history: string | undefined

  /** @param servers at least one, in the order of the address */
  constructor(servers: readonly ConnectionOptions[]) {
    this.#servers = servers
  }

  /** The server that took writes when a connection was opened last. */
  get server(): ConnectionOptions | undefined {
    return this.#servers[this.#current]
  }

  /** System and timeline of the server when a connection was opened last: other ones mean another history. */
  get history(): string | undefined {
    return this.#history
  }

  /**
   * Opens a connection to it.
   * @param timeoutMs longest time of a statement, and of opening a connection to one server, in milliseconds
   * @throws what the last server throws; `StandbyError` when it is a standby
   */
  async open(timeoutMs: number): Promise<Lane> {
    let failure: unknown
    // Another connection may find another server meanwhile.
    const first = this.#current
    for (let attempt = 0; attempt < this.#servers.length; attempt++) {
      const index = (first + attempt) % this.#servers.length
      const server = this.#servers[index]
      if (server === undefined) continue
      try {
        const lane = await Lane.open(server, timeoutMs)
        await this.#use(lane).catch((error: unknown) => {
          void lane.close()
          throw error
        })
        this.#current = index
        return lane
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }
  async #use(lane: Lane): Promise<void> {
    const [row] = await lane.query<{ standby: boolean; history: string | null }>(STATE)
    if (row?.standby !== false) throw new StandbyError()
    this.#history = row.history ?? undefined
    await this.onOpened?.(lane)
  }
}
