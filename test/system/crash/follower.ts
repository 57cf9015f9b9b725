import { readEventId } from '../../support/event-id.ts'
import { EventSource } from '../../support/event-source.ts'
import { SECRET } from '../../support/https-server.ts'
import { StreamCache } from '../../support/stream-cache.ts'
import type { TreeClient } from './tree-client.ts'
import type { Server } from './witness.ts'

/** Longest wait for what was written to be told; only what has gone wrong takes it. */
const PATIENCE_MS = 30_000

/** Follows a region through all crashes, resuming from the last event it has read. */
export class Follower {
  readonly #client: TreeClient
  readonly #isAdmin: boolean
  readonly #cache = new StreamCache()
  #source: EventSource | undefined
  #reading: Promise<void> | undefined
  #lastId: string | undefined
  #problems: string[] = []
  #told: (() => void) | undefined
  /** How often it was told what it had missed. */
  resumed = 0

  /** @param isAdmin whether no rules decide: others begin anew when rules have changed */
  constructor(client: TreeClient, isAdmin: boolean) {
    this.#client = client
    this.#isAdmin = isAdmin
  }

  /** Goes on with the next process, until that has told all there is. @returns what is wrong */
  async resume(server: Server): Promise<readonly string[]> {
    await this.#reading
    const from = this.#lastId
    const headers = from === undefined ? {} : { 'Last-Event-ID': from }
    const source = await EventSource.open(server, this.#target, { headers })
    this.#source = source
    this.#reading = this.#read(source, from !== undefined && this.#isAdmin)
    const mark = await this.#client.mark(server)
    await this.#hear(mark)
    if (from !== undefined) this.resumed++
    if (this.#cache.plainText !== this.#client.region.text) {
      this.#problems.push(
        `holds ${this.#cache.plainText.slice(0, 300)}, there is ${this.#client.region.text.slice(0, 300)}`,
      )
    }
    return this.#problems.splice(0).map((problem) => `stream of ${this.#client.name} from ${from}: ${problem}`)
  }

  async close(): Promise<void> {
    await this.#source?.close()
    await this.#reading
  }

  get #target(): string {
    return this.#client.target([], `&resume=true${this.#isAdmin ? `&auth=${encodeURIComponent(SECRET)}` : ''}`)
  }

  async #read(source: EventSource, mustGoOn: boolean): Promise<void> {
    if (source.status !== 200) this.#problems.push(`answered ${source.status}`)
    for (let event = await source.nextMessage(); event !== undefined; event = await source.nextMessage()) {
      if (event.id === undefined) continue
      const { path, data } = JSON.parse(event.text) as { path: string; data: unknown }
      // Nobody writes to the region as a whole, and all that was missed is in the log.
      if (path === '/' && event.name === 'put' && mustGoOn) this.#problems.push(`begins anew at ${event.id}`)
      if (this.#lastId !== undefined && !isAfter(event.id, this.#lastId)) {
        this.#problems.push(`told ${event.id} after ${this.#lastId}`)
      }
      this.#lastId = event.id
      this.#cache.apply({ kind: event.name === 'patch' ? 'patch' : 'put', path, data })
      this.#told?.()
    }
    this.#told?.()
  }

  async #hear(mark: string): Promise<void> {
    const heard = Promise.withResolvers<void>()
    const give = setTimeout(heard.resolve, PATIENCE_MS)
    this.#told = () => {
      if ((this.#cache.plain as { mark?: unknown } | null)?.mark === mark) heard.resolve()
    }
    this.#told()
    await heard.promise
    clearTimeout(give)
    this.#told = undefined
  }
}

function isAfter(id: string, other: string): boolean {
  const [{ tree, seq }, earlier] = [readEventId(id), readEventId(other)]
  return tree === earlier.tree && seq > earlier.seq
}
