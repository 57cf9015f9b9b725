/** Most marks that are kept. They are for what is in view: a flood of other rows must not pile up. */
const MOST_MARKS = 500
/** How long a row is marked, and how long it fades after that, in ms: as long as the transition of tree.css. */
const MARKED_MS = 900
const FADING_MS = 600
/** Time between two looks at what is marked no more, in ms. */
const LOOK_MS = 300

/** How a row shows that it changed a moment ago. */
export type Mark = 'changed' | 'fading' | undefined

/** Rows that have changed a moment ago, by name. Drawing them costs the same however often they change. */
export class Marks {
  readonly #onChange: () => void
  /** When each has changed last, on the clock of `performance.now`; those that have changed last stand at the end. */
  readonly #changedAt = new Map<string, number>()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param onChange called when marks may have come to their end */
  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  add(name: string): void {
    this.#changedAt.delete(name)
    this.#changedAt.set(name, performance.now())
    if (this.#changedAt.size > MOST_MARKS)
      for (const old of [...this.#changedAt.keys()].slice(0, MOST_MARKS / 2)) this.#changedAt.delete(old)
    this.#timer ??= setTimeout(() => this.#look(), LOOK_MS)
  }

  of(name: string): Mark {
    const at = this.#changedAt.get(name)
    if (at === undefined) return undefined
    const age = performance.now() - at
    if (age <= MARKED_MS) return 'changed'
    return age <= MARKED_MS + FADING_MS ? 'fading' : undefined
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    const begin = performance.now() - MARKED_MS - FADING_MS
    for (const [name, at] of this.#changedAt) {
      if (at > begin) break
      this.#changedAt.delete(name)
    }
    this.#timer = this.#changedAt.size === 0 ? undefined : setTimeout(() => this.#look(), LOOK_MS)
    this.#onChange()
  }
}
