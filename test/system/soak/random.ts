const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789 äé中😀"\\/'
const RANGE = 2 ** 32

/** Numbers that look random, and come again for the same seed (mulberry32). */
export class Random {
  #state: number

  /** @param seed any integer */
  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE
  }

  /** A whole number from 0, less than `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  /** @throws Error when there is nothing to choose from */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('nothing to choose from')
    return list[this.below(list.length)] as T
  }

  /** Text of so many characters: a stretch of one that has some of every kind, so that making it costs little. */
  text(length: number): string {
    const characters = Array.from({ length: Math.min(length, LETTERS.length) }, () => this.pick([...LETTERS]))
    const letters = characters.join('')
    const times = Math.ceil(length / Math.max(1, letters.length))
    // Numbered, so that it compresses as text does and not a hundred times better.
    return Array.from({ length: times }, (_, time) => `${time || ''}${letters}`)
      .join('')
      .slice(0, length)
      .toWellFormed()
  }
}

/** A stream of its own for each name, so that what one does is not changed by how often another was asked. */
export function randomFor(seed: number, name: string): Random {
  return new Random(Number(Bun.hash(`${seed}/${name}`) & 0xffffffffn))
}
