/** Entries and bytes of a new shard. */
const FIRST_ENTRIES = 8
const FIRST_BYTES = 128
/** Most keys of a shard: to move those of a larger one would take long. */
const MOST_IN_SHARD = 2048
/** Keys of a shard that is made for a known number of keys: it has more or fewer by chance. */
const PLANNED_IN_SHARD = 1536
const SPARE = 1.1
/** Most leading bits of a hash that choose a shard; the last bits choose its slots. */
const MOST_DEPTH = 18
const HASH_BITS = 32
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
 * 170. The leading bits of its hash choose the shard of a key. A full shard is divided by one more bit, so that no key
 * takes long to add, however many there are.
 */
export class KeyTable {
  /** Leading bits of a hash that are an index of `#shards`. */
  #depth = 0
  /** A shard of fewer bits is in it several times, side by side. */
  #shards: Shard[]

  /**
   * @param capacity number of keys that fit without growth
   * @param bytes about how many they take in UTF-8
   */
  constructor(capacity = 0, bytes = 0) {
    while (capacity > PLANNED_IN_SHARD * 2 ** this.#depth && this.#depth < MOST_DEPTH) this.#depth++
    const count = 2 ** this.#depth
    const share = (whole: number) => (count === 1 ? whole : Math.ceil((whole / count) * SPARE))
    this.#shards = Array.from({ length: count }, () => new Shard(this.#depth, share(capacity), share(bytes)))
  }

  get size(): number {
    let size = 0
    for (const shard of this.#each()) size += shard.size
    return size
  }

  /** Memory of the table, in bytes. */
  get byteLength(): number {
    let bytes = 0
    for (const shard of this.#each()) bytes += shard.byteLength
    return bytes
  }

  has(key: string): boolean {
    const length = encode(key)
    const hash = hashOf(key)
    return this.#shardOf(hash).find(length, hash) >= 0
  }

  add(key: string): void {
    const length = encode(key)
    const hash = hashOf(key)
    if (this.#shardOf(hash).find(length, hash) >= 0) return
    while (this.#shardOf(hash).isFull) this.#divide(hash)
    this.#shardOf(hash).append(hash, scratch, 0, length)
  }

  delete(key: string): void {
    const length = encode(key)
    const hash = hashOf(key)
    this.#shardOf(hash).delete(length, hash)
  }

  /** The keys in no order. No key may be added meanwhile. */
  *[Symbol.iterator](): Generator<string> {
    for (const shard of this.#each()) yield* shard.keys()
  }

  #shardOf(hash: number): Shard {
    return this.#shards[leadingBits(hash, this.#depth)] as Shard
  }

  *#each(): Generator<Shard> {
    for (let index = 0; index < this.#shards.length; ) {
      const shard = this.#shards[index] as Shard
      yield shard
      index += 2 ** (this.#depth - shard.depth)
    }
  }

  /** Replaces the shard of a hash by two. */
  #divide(hash: number): void {
    const shard = this.#shardOf(hash)
    if (shard.depth === this.#depth) {
      this.#shards = this.#shards.flatMap((each) => [each, each])
      this.#depth++
    }
    const [first, second] = shard.halves()
    const copies = 2 ** (this.#depth - shard.depth)
    const start = leadingBits(hash, shard.depth) * copies
    this.#shards.fill(first, start, start + copies / 2)
    this.#shards.fill(second, start + copies / 2, start + copies)
  }
}

/** Keys whose hashes have the same leading bits. It keeps the hashes, so that growth does not hash the keys again. */
class Shard {
  /** Number of those bits. */
  readonly depth: number
  #slots: Uint32Array
  #hashes: Uint32Array
  /** End of the bytes of each entry. */
  #ends: Uint32Array
  #bytes: Uint8Array
  /** Number of entries, deleted ones included. */
  #entries = 0
  #size = 0

  constructor(depth: number, capacity: number, bytes: number) {
    this.depth = depth
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

  /** Whether it must be divided before another key is added. */
  get isFull(): boolean {
    return this.#size >= MOST_IN_SHARD && this.depth < MOST_DEPTH
  }

  *keys(): Generator<string> {
    for (const held of this.#slots) {
      if (held < FIRST) continue
      const entry = held - FIRST
      yield decoder.decode(this.#bytes.subarray(this.#startOf(entry), this.#ends[entry]))
    }
  }

  /** Removes the key in `scratch`. */
  delete(length: number, hash: number): void {
    const slot = this.find(length, hash)
    if (slot < 0) return
    this.#slots[slot] = DELETED
    this.#size--
  }

  /** Adds an absent key. */
  append(hash: number, source: Uint8Array, from: number, length: number): void {
    if (this.#entries === this.#hashes.length) this.#rebuild()
    this.#makeRoom(this.#startOf(this.#entries) + length)
    this.#append(hash, source, from, length)
  }

  /** The keys by the next bit of their hashes. */
  halves(): readonly [Shard, Shard] {
    const depth = this.depth + 1
    const capacity = Math.ceil((this.#size / 2) * SPARE)
    const bytes = Math.ceil((this.#bytes.length / 2) * SPARE)
    const halves = [new Shard(depth, capacity, bytes), new Shard(depth, capacity, bytes)] as const
    this.#copyTo((hash) => halves[leadingBits(hash, depth) & 1] as Shard)
    return halves
  }

  /** The slot of the key in `scratch`; negative if it is absent. */
  find(length: number, hash: number): number {
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
    const entries = Math.ceil((this.#size + 1) * GROWTH) + FIRST_ENTRIES
    const larger = new Shard(this.depth, entries, this.#bytes.length)
    this.#copyTo(() => larger)
    this.#slots = larger.#slots
    this.#hashes = larger.#hashes
    this.#ends = larger.#ends
    this.#bytes = larger.#bytes
    this.#entries = larger.#entries
  }

  #copyTo(shardOf: (hash: number) => Shard): void {
    for (const held of this.#slots) {
      if (held < FIRST) continue
      const entry = held - FIRST
      const start = this.#startOf(entry)
      const hash = this.#hashes[entry] ?? 0
      shardOf(hash).append(hash, this.#bytes, start, (this.#ends[entry] ?? 0) - start)
    }
  }
}

/** @param count 0 to 31 */
function leadingBits(hash: number, count: number): number {
  // A shift by 32 would be none.
  return count === 0 ? 0 : hash >>> (HASH_BITS - count)
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
