import { setTimeout as wait } from 'node:timers/promises'

/** One kind of work, done so and so often in a day. */
export interface Kind {
  readonly name: string
  readonly perDay: number
  /** Most that are under way at once; more wait, and are made up for. */
  readonly most: number
  /** Does it once. @throws Error when something is answered that should not be */
  run(): Promise<void>
}

const DAY_SECONDS = 24 * 60 * 60
const TURN_MS = 10
const FAILURES_KEPT = 20
/** What takes longer than that is a hang. */
const LONGEST_MS = 90_000

/** What has been done of each kind, and what went wrong. */
export interface Tally {
  readonly done: Map<string, number>
  readonly failures: string[]
  failed: number
  /** Requests whose connection was broken off before an answer came. */
  broken: number
}

/** What clients say of a connection that the server has closed before it answered. */
const BROKEN = /ECONNRESET|no answer to /

/** Keeps several kinds of work going at the pace of a day that passes so many times as fast. */
export class Pace {
  readonly tally: Tally = { done: new Map(), failures: [], failed: 0, broken: 0 }
  readonly #kinds: readonly Kind[]
  readonly #perSecond: number
  readonly #started = new Map<string, number>()
  readonly #under = new Set<Promise<void>>()
  readonly #busy = new Map<string, number>()
  #seconds = 0

  /** @param speed how many times as fast as a day passes */
  constructor(kinds: readonly Kind[], speed: number) {
    this.#kinds = kinds
    this.#perSecond = speed / DAY_SECONDS
  }

  /** Works for so many seconds, and waits until all that has begun has ended. */
  async work(seconds: number): Promise<void> {
    const begun = performance.now()
    const before = this.#seconds
    while (this.#seconds - before < seconds) {
      this.#seconds = before + Math.min(seconds, (performance.now() - begun) / 1000)
      for (const kind of this.#kinds) this.#start(kind)
      await wait(TURN_MS)
    }
    const late = AbortSignal.timeout(LONGEST_MS)
    const stuck = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve()))
    while (this.#under.size > 0 && !late.aborted) await Promise.race([...this.#under, stuck])
    for (const [name, busy] of this.#busy) if (busy > 0) this.#fail(`${name}: ${busy} are not answered`)
  }

  #start(kind: Kind): void {
    const due = kind.perDay * this.#perSecond * this.#seconds
    for (;;) {
      const started = this.#started.get(kind.name) ?? 0
      const busy = this.#busy.get(kind.name) ?? 0
      if (started + 1 > due || busy >= kind.most) return
      this.#started.set(kind.name, started + 1)
      this.#busy.set(kind.name, busy + 1)
      const run = this.#run(kind).finally(() => {
        this.#under.delete(run)
        this.#busy.set(kind.name, (this.#busy.get(kind.name) ?? 0) - 1)
      })
      this.#under.add(run)
    }
  }

  async #run(kind: Kind): Promise<void> {
    try {
      await kind.run()
      this.tally.done.set(kind.name, (this.tally.done.get(kind.name) ?? 0) + 1)
    } catch (error) {
      if (BROKEN.test(String(error))) this.tally.broken++
      else this.#fail(`${kind.name}: ${String(error)}`)
    }
  }

  #fail(failure: string): void {
    this.tally.failed++
    if (this.tally.failures.length < FAILURES_KEPT) this.tally.failures.push(failure)
  }
}
