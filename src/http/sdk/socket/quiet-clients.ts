/** Looks for which memory may stay above the bound before clients are cut off. Idle SDKs send a message within 45 s. */
const PATIENT_LOOKS = 60
/** Times the bound above which clients are cut off at once. */
const IMPATIENCE = 2
/** Share of the quiet clients that are cut off with one look, and how many at most: each costs a part of a turn. */
const SHARE = 1 / 8
const MOST_AT_ONCE = 200

/** A client that may hold the beginning of a message in the memory of the process. */
interface Suspect {
  /** The look after which its last whole message came; -1: none came. */
  readonly messageAt: number
  cut(): void
}

/**
 * Clients that send parts of messages and never the last one. The runtime keeps the parts and does not report them, and
 * the clients answer pings between them. Only the memory of the process shows that they are not clients that just listen.
 * When it is above the bound for a minute, or above twice the bound, clients are cut off that have sent no whole message
 * since it grew, the newest first, until it is below. A client that just listened connects again.
 */
export class QuietClients {
  readonly #most: number
  /** Unreserved memory of the process when no client held any. */
  #usual: number
  /** The look since which there is more than the bound, and the least memory since; `undefined` while there is not. */
  #over: { readonly since: number; least: number } | undefined
  /** Number of the last look at the memory. */
  look = 0

  /**
   * @param most the bound: bytes beyond the usual memory
   * @param usual unreserved bytes of the process without clients
   */
  constructor(most: number, usual: number) {
    this.#most = most
    this.#usual = usual
  }

  /**
   * Looks at the memory once.
   * @param unreserved bytes of the process that no client has reserved
   * @param clients all that are connected, the oldest first
   */
  check(unreserved: number, clients: Iterable<Suspect>): void {
    this.look++
    this.#usual = Math.min(this.#usual, unreserved)
    const excess = unreserved - this.#usual
    if (excess <= this.#most) {
      this.#over = undefined
      return
    }
    this.#over ??= { since: this.look, least: unreserved }
    const { since } = this.#over
    const least = Math.min(this.#over.least, unreserved)
    this.#over.least = least
    if (excess <= IMPATIENCE * this.#most && this.look - since < PATIENT_LOOKS) return
    const quiet = [...clients].filter(({ messageAt }) => messageAt < since)
    const count = Math.min(MOST_AT_ONCE, Math.ceil(quiet.length * SHARE))
    for (const each of quiet.slice(quiet.length - count)) each.cut()
    if (count > 0) return
    // All have ended a message since, and the memory stays. What has come meanwhile may be theirs.
    this.#usual = least
    this.#over = undefined
  }
}
