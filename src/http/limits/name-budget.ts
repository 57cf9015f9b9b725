/** Names of a text that are not worth a reservation. */
const FEW = 40 * 1024
/** Different names of all parsed texts: some more than one text of the default limit may have. */
const MOST = 256 * 1024
/** Longest wait for the names of other texts, in milliseconds. */
const LONGEST_WAIT_MS = 2000
/** Time between two collections that are asked for while a text waits, in milliseconds. */
const COLLECTION_MS = 200

/** Names of one text. */
interface NameReservation {
  /** The names are in memory as long as this value is. Must be called, or `release`. @param json what the text says */
  isFor(json: unknown): void
  release(): void
}

interface Waiting {
  readonly names: number
  readonly admit: () => void
}

/**
 * Bounds the names of members of long parsed texts. The engine keeps the names of all objects in one table. It moves the
 * whole table when it grows, and removes the names of an object at once when it collects the object: a hundred
 * thousand take some ten milliseconds, in which the event loop stands still. So a text with many names waits until those of
 * others are collected.
 * @see docs/explanation/requests.md#large-values
 */
export class NameBudget {
  readonly #most: number
  readonly #longestWaitMs: number
  readonly #waiting: Waiting[] = []
  readonly #collected = new FinalizationRegistry<number>((names) => this.#release(names))
  #names = 0
  #collecting: NodeJS.Timeout | undefined

  constructor(most = MOST, longestWaitMs = LONGEST_WAIT_MS) {
    this.#most = most
    this.#longestWaitMs = longestWaitMs
  }

  /** Names reserved now. */
  get names(): number {
    return this.#names
  }

  /** Waits for room, for a bounded time. @returns `undefined` for few names, which do not count */
  async reserve(names: number): Promise<NameReservation | undefined> {
    if (names < FEW) return undefined
    if (this.#waiting.length > 0 || !this.#fits(names)) await this.#room(names)
    else this.#names += names
    return {
      isFor: (json) => {
        if (typeof json === 'object' && json !== null) this.#collected.register(json, names)
        else this.#release(names)
      },
      release: () => this.#release(names),
    }
  }

  #fits(names: number): boolean {
    return this.#names === 0 || this.#names + names <= this.#most
  }

  #room(names: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#admit(waiting), this.#longestWaitMs)
      const waiting: Waiting = {
        names,
        admit: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      this.#waiting.push(waiting)
      this.#collect()
    })
  }

  /** Asks for collections while texts wait: an idle server makes none. */
  #collect(): void {
    if (this.#collecting !== undefined) return
    Bun.gc(false)
    this.#collecting = setInterval(() => Bun.gc(false), COLLECTION_MS)
  }

  #admit(waiting: Waiting): void {
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
    this.#names += waiting.names
    waiting.admit()
    if (this.#waiting.length > 0) return
    clearInterval(this.#collecting)
    this.#collecting = undefined
  }

  #release(names: number): void {
    this.#names -= names
    for (;;) {
      const [first] = this.#waiting
      if (first === undefined || !this.#fits(first.names)) return
      this.#admit(first)
    }
  }
}

/** Of the process, as the table of the engine is. */
export const namesInMemory = new NameBudget()
