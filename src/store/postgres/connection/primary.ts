import { StandbyError } from './database-errors.ts'
import { type ConnectionOptions, Lane } from './lane.ts'

/** The server of an address that takes writes: of several hosts the one that is no standby. */
export class Primary {
  readonly #servers: readonly ConnectionOptions[]
  #current = 0

  /** @param servers at least one, in the order of the address */
  constructor(servers: readonly ConnectionOptions[]) {
    this.#servers = servers
  }

  /** The server that took writes when a connection was opened last. */
  get server(): ConnectionOptions | undefined {
    return this.#servers[this.#current]
  }

  /**
   * Opens a connection to it.
   * @param timeoutMs longest time of a statement, and of opening a connection to one server, in milliseconds
   * @throws what the last server throws; `StandbyError` when it is a standby
   */
  async open(timeoutMs: number): Promise<Lane> {
    let failure: unknown
    for (let attempt = 0; attempt < this.#servers.length; attempt++) {
      const index = (this.#current + attempt) % this.#servers.length
      const server = this.#servers[index]
      if (server === undefined) continue
      try {
        const lane = await openWritable(server, timeoutMs)
        this.#current = index
        return lane
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }
}

async function openWritable(server: ConnectionOptions, timeoutMs: number): Promise<Lane> {
  const lane = await Lane.open(server, timeoutMs)
  try {
    const [row] = await lane.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby')
    if (row?.standby !== false) throw new StandbyError()
    return lane
  } catch (error) {
    void lane.close()
    throw error
  }
}
