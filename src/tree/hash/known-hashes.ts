/** Maximum length of all names, in UTF-16 code units, and maximum number of them. */
const MOST_LENGTH = 4 * 1024 * 1024
const MOST_NAMES = 4096

/** Hashes of one value, as clients compute them. */
export interface Hashes {
  readonly exact: string
  /** With the bits of numbers that clients in JavaScript compute. */
  readonly javascript: string
}

/** Hashes by the names of what was hashed. The oldest ones are forgotten first. */
export class KnownHashes {
  readonly #hashes = new Map<string, Hashes>()
  #length = 0

  get(name: string): Hashes | undefined {
    return this.#hashes.get(name)
  }

  set(name: string, hashes: Hashes): void {
    if (!this.#hashes.has(name)) this.#length += name.length
    this.#hashes.set(name, hashes)
    while (this.#length > MOST_LENGTH || this.#hashes.size > MOST_NAMES) {
      const [oldest] = this.#hashes.keys()
      if (oldest === undefined) return
      this.#hashes.delete(oldest)
      this.#length -= oldest.length
    }
  }
}
