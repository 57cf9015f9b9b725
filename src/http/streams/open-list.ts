import { loopTurn } from '../../scheduling/loop-turn.ts'

/** What is open of one application. */
interface OpenEntry {
  readonly applicationId: string
}

/** What is open over HTTP, oldest first. All listeners of a service share one list. */
export class OpenList<E extends OpenEntry> {
  readonly #entries = new Map<number, E>()
  #last = 0

  /** @returns the number of the entry, for `delete` */
  add(entry: E): number {
    this.#last++
    this.#entries.set(this.#last, entry)
    return this.#last
  }

  /** Does nothing for an unknown number. */
  delete(number: number): void {
    this.#entries.delete(number)
  }

  /**
   * The first entries, and the number of all. It pauses where the event loop has other work.
   * @param applicationId only those of one application
   * @param listed what is listed of one
   */
  async list<T>(
    applicationId: string | undefined,
    limit: number,
    listed: (number: number, entry: E) => T,
  ): Promise<{ readonly total: number; readonly listed: T[] }> {
    const found: T[] = []
    let total = 0
    for (const [number, entry] of this.#entries) {
      if (loopTurn.isOver) await loopTurn.pause()
      if (applicationId !== undefined && entry.applicationId !== applicationId) continue
      total++
      if (found.length < limit && this.#entries.has(number)) found.push(listed(number, entry))
    }
    return { total, listed: found }
  }

  /** @param applicationId only when it is one of that application */
  find(id: string, applicationId: string | undefined): E | undefined {
    const entry = this.#entries.get(Number(id))
    return entry === undefined || (applicationId !== undefined && entry.applicationId !== applicationId)
      ? undefined
      : entry
  }
}
