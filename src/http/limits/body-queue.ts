/** Large bodies that are unpacked, parsed and written at the same time, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024

interface Waiting {
  readonly bytes: number
  readonly admit: (leave: () => void) => void
}

/**
 * Bounds the memory that large bodies take while they are processed, which is several times their size. A body that does
 * not fit beside the others waits in the form in which it arrived. Networks take turns, with one waiting body each. A body
 * above the bound is processed alone.
 */
export class BodyQueue {
  readonly #maxBytes: number
  readonly #byNetwork = new Map<string, Waiting[]>()
  #bytes = 0

  /** @param maxBytes processed at the same time */
  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Bytes processed now. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Waits for room.
   * @param network of the client
   * @param bytes unpacked length of the body
   * @returns leaves the queue, later calls do nothing. Must be called even if the body is no longer wanted.
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
      // A map lists an entry that is set again last.
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
