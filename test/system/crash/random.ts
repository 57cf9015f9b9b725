/** Numbers that look random and follow from a seed alone, so that a plan can be played again. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from 0 on, below a bound. */
  below(bound: number): number {
    // A step of a fixed odd number, then bits mixed into each other by multiplying and shifting.
    this.#state = (this.#state + 0x9e3779b9) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return Math.floor((((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32) * bound)
  }

  /** @param share of all times, 0 to 1 */
  happens(share: number): boolean {
    return this.below(1_000_000) < share * 1_000_000
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.below(choices.length)] ?? choices[0]
  }

  /** Another one, which goes its own way. */
  fork(): Random {
    return new Random(this.below(2 ** 32))
  }
}
