/** Large bodies that may be unpacked, parsed and written at the same time, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024

interface Waiting {
  readonly bytes: number
  readonly admit: (leave: () => void) => void
}

/**
 * Bounds the memory that large bodies take while they are worked on: what is made of a body is several times as large as
 * the body. A body that does not fit beside the others waits, packed as it came. Of those that wait, each network has one
 * admitted in turn. A body that alone is larger than the bound is worked on alone.
 */
export class BodyQueue {
  readonly #maxBytes: number
  readonly #byNetwork = new Map<string, Waiting[]>()
  #bytes = 0

  /** @param maxBytes worked on at the same time */
  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Bytes worked on now. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Waits for room.
   * @param network whose body it is
   * @param bytes its unpacked length
   * @returns gives the room back, however often it is called. Must be called also by those who no longer want it.
   */
  enter(network: string, bytes: number): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<() => void>()
    const line = this.#byNetwork.get(network) ?? []
    line.push({ bytes, admit: resolve })
    this.#byNetwork.set(network, line)
    this.#admit()
    return promise
  }

  #admit(): void {
    for (const [network, line] of this.#byNetwork) {
      const [first] = line
      if (first === undefined || !this.#fits(first.bytes)) return
      line.shift()
      // A name that is set again stands last.
      this.#byNetwork.delete(network)
      if (line.length > 0) this.#byNetwork.set(network, line)
      this.#bytes += first.bytes
      first.admit(this.#leaving(first.bytes))
    }
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#maxBytes
  }

  #leaving(bytes: number): () => void {
    let isIn = true
    return () => {
      if (!isIn) return
      isIn = false
      this.#bytes -= bytes
      this.#admit()
    }
  }
}
