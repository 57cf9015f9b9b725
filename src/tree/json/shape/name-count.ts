/** Digits of a number that is certainly an array index. */
const MOST_DIGITS = 9
const ZERO = 0x30
const NINE = 0x39
/** Of the process, so that no client can choose names that the count takes for one. */
const SEED = crypto.getRandomValues(new Int32Array(1))[0] as number

/**
 * Counts different names of members in UTF-8, as they are written: an escape makes another name. Names that are array
 * indexes do not count, because JavaScript keeps them as numbers. Names are compared by 32 bits of a hash: of 200,000 some five
 * are taken for others.
 */
export class NameCount {
  /** Of the size that the most names need: a table that grows is moved at once. */
  readonly #slots: Int32Array
  #count = 0

  /** @param most names that are ever added */
  constructor(most: number) {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 1)))
  }

  get count(): number {
    return this.#count
  }

  /** @param start offset of the first byte. @param end offset after the last byte */
  add(bytes: Uint8Array, start: number, end: number): void {
    if (isIndex(bytes, start, end)) return
    let hash = SEED
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x5bd1e995) ^ (hash >>> 15)
    hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
    // An empty slot is 0.
    if (insert(this.#slots, hash ^ (hash >>> 15) || 1)) this.#count++
  }
}

/** @returns false where the hash is there */
function insert(slots: Int32Array, hash: number): boolean {
  const last = slots.length - 1
  let at = hash & last
  for (let found = slots[at]; found !== 0; found = slots[at]) {
    if (found === hash) return false
    at = (at + 1) & last
  }
  slots[at] = hash
  return true
}

function isIndex(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start
  if (length === 0 || length > MOST_DIGITS || (bytes[start] === ZERO && length > 1)) return false
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte < ZERO || byte > NINE) return false
  }
  return true
}
