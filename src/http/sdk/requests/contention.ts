import type { Database } from '../../../database/database.ts'
import { covers, type Path } from '../../../tree/path.ts'

/** Maximum contenders of a tree, and of one client. More contend without an order. */
const MOST_CONTENDERS = 128
const MOST_OF_CLIENT = 8
/** Losses after which a client is no longer preferred: SDKs give up then. */
const MOST_LOSSES = 25
/** Time that a client gets to come again after its first loss, in milliseconds; it doubles with each loss. */
const FIRST_GRACE_MS = 100
const LONGEST_GRACE_MS = 2000
/** Longest wait of a conditional set for others, in milliseconds. */
const LONGEST_WAIT_MS = 1000
/** Time after which the losses of a client that has not come again are forgotten, in milliseconds. */
const MEMORY_MS = 10_000
const TICK_MS = 25

/** How a conditional set has ended. `void`: it was refused for another reason. */
export type Outcome = 'won' | 'lost' | 'void'

/** A client that has lost at a path and comes again, whose set waits for others, or whose set is being judged. */
interface Contender {
  readonly client: object
  readonly path: Path
  readonly number: number
  losses: number
  state: 'coming' | 'waiting' | 'judged'
  /** When it has lost, or has begun to wait. */
  since: number
  resume: (() => void) | undefined
}

const all = new WeakMap<Database, Contention>()

/**
 * Orders the conditional sets that contend for a path: those whose clients have lost most often go first, and the others
 * wait for them. A client that has lost gets a short time to come again. Costs nothing while no set loses.
 * @see docs/reference/sdk-protocol.md#transactions
 */
export class Contention {
  readonly #contenders = new Set<Contender>()
  readonly #now: () => number
  #number = 0
  #timer: Timer | undefined

  /** @param now of a clock that never goes back, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** That of the clients of one tree. */
  static of(database: Database): Contention {
    let found = all.get(database)
    if (found === undefined) {
      found = new Contention()
      all.set(database, found)
    }
    return found
  }

  /** Number of contenders that are kept. */
  get size(): number {
    return this.#contenders.size
  }

  /** A set is about to be queued. @returns resolves when it may be; `undefined` if it may be at once */
  enter(client: object, path: Path): Promise<void> | undefined {
    if (this.#contenders.size === 0) return undefined
    const known = this.#find(client, path)
    if (known?.state === 'judged') return undefined
    const contender = known ?? this.#join(client, path)
    if (contender === undefined) return undefined
    contender.since = this.#now()
    contender.state = 'waiting'
    if (this.#mayRun(contender)) {
      contender.state = 'judged'
      return undefined
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    contender.resume = resolve
    return promise
  }

  /** A set that has entered is judged. */
  left(client: object, path: Path, outcome: Outcome): void {
    if (this.#contenders.size === 0 && outcome !== 'lost') return
    const known = this.#find(client, path)
    const contender = outcome === 'lost' ? (known ?? this.#add(client, path)) : known
    if (contender === undefined) return
    contender.losses++
    contender.state = 'coming'
    contender.since = this.#now()
    if (outcome !== 'lost' || contender.losses > MOST_LOSSES) this.#contenders.delete(contender)
    this.#goOn()
  }

  /** A client has left. */
  forget(client: object): void {
    if (this.#contenders.size === 0) return
    for (const contender of this.#contenders) {
      if (contender.client !== client) continue
      this.#contenders.delete(contender)
      contender.resume?.()
    }
    this.#goOn()
  }

  /** Lets those go on whose time to wait is over, and forgets those that do not come again. */
  #goOn(): void {
    const now = this.#now()
    for (const contender of this.#contenders) {
      const { state, since } = contender
      if (state === 'coming' && now - since > MEMORY_MS) this.#contenders.delete(contender)
      else if (state === 'waiting' && (now - since > LONGEST_WAIT_MS || this.#mayRun(contender))) {
        contender.state = 'judged'
        contender.resume?.()
        contender.resume = undefined
      }
    }
    if (this.#contenders.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #find(client: object, path: Path): Contender | undefined {
    for (const contender of this.#contenders) {
      if (contender.client === client && isSame(contender.path, path)) return contender
    }
    return undefined
  }

  /** Adds a client that has not lost, if others contend for the path. */
  #join(client: object, path: Path): Contender | undefined {
    for (const { path: other } of this.#contenders) if (overlap(other, path)) return this.#add(client, path)
    return undefined
  }

  #add(client: object, path: Path): Contender | undefined {
    if (this.#contenders.size >= MOST_CONTENDERS) return undefined
    let own = 0
    for (const contender of this.#contenders) if (contender.client === client) own++
    if (own >= MOST_OF_CLIENT) return undefined
    const contender: Contender = {
      client,
      path,
      number: ++this.#number,
      losses: 0,
      state: 'coming',
      since: this.#now(),
      resume: undefined,
    }
    this.#contenders.add(contender)
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#goOn(), TICK_MS)
      this.#timer.unref()
    }
    return contender
  }

  /** Whether no other set of the same nodes is being judged, or goes before. */
  #mayRun(contender: Contender): boolean {
    const now = this.#now()
    for (const other of this.#contenders) {
      if (other.client === contender.client || !overlap(other.path, contender.path)) continue
      if (other.state === 'judged') return false
      if (goesBefore(other, contender) && !isLate(other, now)) return false
    }
    return true
  }
}

function isLate({ state, losses, since }: Contender, now: number): boolean {
  return state === 'coming' && now - since > Math.min(FIRST_GRACE_MS * 2 ** (losses - 1), LONGEST_GRACE_MS)
}

/** Those that have lost most often come first, and of these those that contend for the longest time. */
function goesBefore(one: Contender, other: Contender): boolean {
  return one.losses > other.losses || (one.losses === other.losses && one.number < other.number)
}

function overlap(one: Path, other: Path): boolean {
  return covers(one, other) || covers(other, one)
}

function isSame(one: Path, other: Path): boolean {
  return one.length === other.length && covers(one, other)
}
