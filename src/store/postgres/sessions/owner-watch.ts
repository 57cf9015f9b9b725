import type { Lanes } from '../connection/lanes.ts'
import type { ProcessRow } from '../processes.ts'
import { applicationsOf, endedOwners } from './session-owners.ts'

/** Time between two searches for processes that have ended and had sessions, in milliseconds. */
const LOOK_MS = 500

/** Finds the applications with sessions whose process has ended. */
export class OwnerWatch {
  readonly #lanes: Lanes
  readonly #row: ProcessRow
  #timer: ReturnType<typeof setInterval> | undefined
  #looking: Promise<void> | undefined

  constructor(lanes: Lanes, row: ProcessRow) {
    this.#lanes = lanes
    this.#row = row
  }

  /** Looks from now on. @param onFound called with ids of applications, again and again while there are such sessions */
  follow(onFound: (applications: readonly string[]) => void): void {
    clearInterval(this.#timer)
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look(onFound)
        // The database is away: the next search is soon enough.
        .catch(() => {})
        .finally(() => {
          this.#looking = undefined
        })
    }, LOOK_MS)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  async #look(onFound: (applications: readonly string[]) => void): Promise<void> {
    if (this.#row.isSilent) return
    const ended = await endedOwners(this.#lanes, this.#row.id)
    if (ended.length === 0) return
    const applications = await applicationsOf(this.#lanes, ended)
    if (applications.length > 0) onFound(applications)
  }
}
