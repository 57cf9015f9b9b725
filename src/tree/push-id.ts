const ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
const TIME_LENGTH = 8
const RANDOM_LENGTH = 12

/** The first eight characters of a generated key: milliseconds since 1970, base 64, most significant first. */
function encodeTime(time: number): string {
  let text = ''
  let rest = time
  for (let place = 0; place < TIME_LENGTH; place++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}

/**
 * Generates the keys of POST: unique and strictly increasing in byte order, even when the clock goes back. Within one
 * millisecond it increments the random part; on overflow it adds one to the time.
 * @see docs/reference/protocol.md#generated-keys
 */
export class PushIds {
  #lastTime: number
  #random = new Uint8Array(RANDOM_LENGTH)
  /** Whether the random part of `#lastTime` is unknown: after a restart that time is not used again. */
  #spent = true

  /** @param lastTime the greatest time of an earlier process; 0 for none */
  constructor(lastTime = 0) {
    this.#lastTime = lastTime
  }

  /** The greatest issued time, in milliseconds; the store keeps it across restarts. */
  get lastTime(): number {
    return this.#lastTime
  }

  /** @param now milliseconds since 1970 */
  next(now: number): string {
    if (now > this.#lastTime) this.#start(now)
    else if (this.#spent || !this.#increment()) this.#start(this.#lastTime + 1)
    let text = encodeTime(this.#lastTime)
    for (const digit of this.#random) text += ALPHABET.charAt(digit)
    return text
  }

  #start(time: number): void {
    this.#lastTime = time
    this.#spent = false
    crypto.getRandomValues(this.#random)
    for (let place = 0; place < RANDOM_LENGTH; place++) this.#random[place] = (this.#random[place] ?? 0) & 63
  }

  #increment(): boolean {
    for (let place = RANDOM_LENGTH - 1; place >= 0; place--) {
      const digit = this.#random[place] ?? 0
      if (digit < ALPHABET.length - 1) {
        this.#random[place] = digit + 1
        return true
      }
      this.#random[place] = 0
    }
    return false
  }
}
