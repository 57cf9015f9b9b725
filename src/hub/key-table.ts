/** Entries and bytes of a new table. */
const FIRST_ENTRIES = 8
const FIRST_BYTES = 128
/** Least slots for each entry, rounded up to a power of two. */
const SLOTS_PER_ENTRY = 1.5
/** Factor of growth. */
const GROWTH = 1.5
/** Maximum UTF-8 bytes of a UTF-16 code unit. */
const MOST_BYTES_PER_UNIT = 3
/** A slot is empty, deleted, or the number of an entry plus `FIRST`. */
const EMPTY = 0
const DELETED = 1
const FIRST = 2

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** Random, so that a client cannot choose keys that share a slot. */
const SEED = crypto.getRandomValues(new BigUint64Array(1))[0]
let scratch = new Uint8Array(1024)

/**
 * A set of keys outside the JavaScript heap: about 40 bytes for a key of 20 characters, where a `Set` of strings takes
 * 170. It keeps the hashes, so that growth does not hash the keys again.
 */
export class KeyTable {
  #slots: Uint32Array
  #hashes: Uint32Array
  /** End of the bytes of each entry. */
  #ends: Uint32Array
  #bytes: Uint8Array
  /** Number of entries, deleted ones included. */
  #entries = 0
  #size = 0

  /**
   * @param capacity number of keys that fit without growth
   * @param bytes about how many they take in UTF-8
   */
  constructor(capacity = 0, bytes = 0) {
    const entries = Math.max(capacity, FIRST_ENTRIES)
    this.#slots = new Uint32Array(slotsFor(entries))
    this.#hashes = new Uint32Array(entries)
    this.#ends = new Uint32Array(entries)
    this.#bytes = new Uint8Array(Math.max(bytes, FIRST_BYTES))
  }

  get size(): number {
    return this.#size
  }

  /** Memory of the table, in bytes. */
  get byteLength(): number {
    return this.#slots.byteLength + this.#hashes.byteLength + this.#ends.byteLength + this.#bytes.byteLength
  }

  has(key: string): boolean {
    return this.#find(encode(key), hashOf(key)) >= 0
  }

  add(key: string): void {
    const length = encode(key)
    const hash = hashOf(key)
    if (this.#find(length, hash) >= 0) return
    if (this.#entries === this.#hashes.length) this.#rebuild()
    this.#makeRoom(this.#startOf(this.#entries) + length)
    this.#append(hash, scratch, 0, length)
  }

  delete(key: string): void {
    const slot = this.#find(encode(key), hashOf(key))
    if (slot < 0) return
    this.#slots[slot] = DELETED
    this.#size--
  }

  /** The keys in no order. No key may be added meanwhile. */
  *[Symbol.iterator](): Generator<string> {
    for (const held of this.#slots) {
      if (held < FIRST) continue
      const entry = held - FIRST
      yield decoder.decode(this.#bytes.subarray(this.#startOf(entry), this.#ends[entry]))
    }
  }

  /** The slot of the key in `scratch`; negative if it is absent. */
  #find(length: number, hash: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const held = slots[slot] ?? EMPTY
      if (held === EMPTY) return -1
      if (held >= FIRST && this.#hashes[held - FIRST] === hash && this.#isScratch(held - FIRST, length)) return slot
    }
  }

  #isScratch(entry: number, length: number): boolean {
    const start = this.#startOf(entry)
    if ((this.#ends[entry] ?? 0) - start !== length) return false
    const bytes = this.#bytes
    for (let at = 0; at < length; at++) if (bytes[start + at] !== scratch[at]) return false
    return true
  }

  #startOf(entry: number): number {
    return entry === 0 ? 0 : (this.#ends[entry - 1] ?? 0)
  }

  /** Adds an absent key that fits. */
  #append(hash: number, source: Uint8Array, from: number, length: number): void {
    const start = this.#startOf(this.#entries)
    const bytes = this.#bytes
    // A call of `set` costs more than the few bytes of a key.
    for (let at = 0; at < length; at++) bytes[start + at] = source[from + at] ?? 0
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = hash & mask
    while ((slots[slot] ?? EMPTY) >= FIRST) slot = (slot + 1) & mask
    slots[slot] = this.#entries + FIRST
    this.#hashes[this.#entries] = hash
    this.#ends[this.#entries] = start + length
    this.#entries++
    this.#size++
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#bytes.length) return
    const old = this.#bytes
    this.#bytes = new Uint8Array(Math.ceil(bytes * GROWTH))
    this.#bytes.set(old)
  }

  /** Moves all keys into larger arrays, without the deleted ones. */
  #rebuild(): void {
    const [slots, ends, bytes, hashes] = [this.#slots, this.#ends, this.#bytes, this.#hashes]
    const entries = Math.ceil((this.#size + 1) * GROWTH) + FIRST_ENTRIES
    this.#slots = new Uint32Array(slotsFor(entries))
    this.#hashes = new Uint32Array(entries)
    this.#ends = new Uint32Array(entries)
    this.#bytes = new Uint8Array(bytes.length)
    this.#entries = 0
    this.#size = 0
    for (const held of slots) {
      if (held < FIRST) continue
      const entry = held - FIRST
      const start = entry === 0 ? 0 : (ends[entry - 1] ?? 0)
      this.#append(hashes[entry] ?? 0, bytes, start, (ends[entry] ?? 0) - start)
    }
  }
}

function slotsFor(entries: number): number {
  return 2 ** Math.ceil(Math.log2(entries * SLOTS_PER_ENTRY))
}

/** Writes a key to `scratch`. @returns its length in bytes */
function encode(key: string): number {
  const most = key.length * MOST_BYTES_PER_UNIT
  if (scratch.length < most) scratch = new Uint8Array(most)
  return encoder.encodeInto(key, scratch).written
}

function hashOf(key: string): number {
  return Number(BigInt.asUintN(32, Bun.hash.wyhash(key, SEED)))
}
