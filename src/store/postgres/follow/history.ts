import type { Lane } from '../connection/lane.ts'
import type { Lanes } from '../connection/lanes.ts'
import type { Primary } from '../connection/primary.ts'

/**
 * Records the history that the database is in. If it was another one, every application gets a new epoch: what clients know
 * of the old history may never have happened in this one. One of several processes does it.
 */
const RECORD =
  'WITH old AS (SELECT history FROM installation FOR UPDATE), ' +
  'changed AS (UPDATE installation i SET history = $1::text FROM old ' +
  'WHERE old.history IS DISTINCT FROM $1::text RETURNING old.history) ' +
  'UPDATE application SET epoch = gen_random_uuid()::text ' +
  'WHERE EXISTS (SELECT FROM changed c WHERE c.history IS NOT NULL)'

/** Pause between two attempts while the database is away, in milliseconds. */
const PAUSE_MS = 50

/** Goes on from the state that the database has now. */
type Rebase = () => Promise<void>

/**
 * The history of the database: it is another one after a standby was promoted, and after a restored or copied database was
 * started. Every new connection shows which one it is in.
 */
export class History {
  readonly #primary: Primary
  readonly #rebases = new Set<Rebase>()
  /** The history that the open trees are of. */
  #known: string | undefined
  #changing: Promise<void> | undefined

  private constructor(primary: Primary) {
    this.#primary = primary
  }

  /** Records the history of a database whose tables exist. @throws what the database throws */
  static async open(lanes: Lanes, primary: Primary): Promise<History> {
    const history = new History(primary)
    await lanes.use((lane) => history.#record(lane))
    primary.onOpened = (lane) => history.#opened(lane)
    return history
  }

  /** @param rebase called when the history has changed, before anything else is read or written. @returns ends the calls */
  follow(rebase: Rebase): () => void {
    this.#rebases.add(rebase)
    return () => this.#rebases.delete(rebase)
  }

  /** A connection is open, and nothing has used it. */
  async #opened(lane: Lane): Promise<void> {
    if (this.#primary.history === this.#known) return
    await this.#record(lane)
    this.#changing ??= this.#rebaseAll().finally(() => {
      this.#changing = undefined
    })
  }

  /** Resolves when no open tree is of another history. */
  get settled(): Promise<void> | undefined {
    return this.#changing
  }

  async #record(lane: Lane): Promise<void> {
    const { history } = this.#primary
    if (history === undefined) return
    await lane.query(RECORD, [history])
    this.#known = history
  }

  async #rebaseAll(): Promise<void> {
    for (const rebase of [...this.#rebases]) {
      // A tree that is closed meanwhile needs none.
      while (this.#rebases.has(rebase) && !(await succeeds(rebase))) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      }
    }
  }
}

async function succeeds(rebase: Rebase): Promise<boolean> {
  try {
    await rebase()
    return true
  } catch {
    return false
  }
}
