/** Most text kept, in UTF-16 code units: some 300 batches of 100 messages. */
const MAX_LENGTH = 4 * 1024 * 1024
/** Longer texts are not kept. */
const MAX_TEXT_LENGTH = 256 * 1024
/** Batches remembered that were requested once: about as many as the cache can hold. */
const MAX_ONCE = 256

/**
 * Answers about batches, kept for clients that ask again until all messages of a batch are final. A batch enters the
 * cache with its second request, so that a client that reads every batch once does not evict the others.
 */
export class BatchTextCache {
  /** Least recently used first. */
  readonly #texts = new Map<string, string>()
  /** Batches requested once, oldest first. */
  readonly #once = new Set<string>()
  #length = 0

  get(rrid: string): string | undefined {
    const text = this.#texts.get(rrid)
    if (text === undefined) return undefined
    this.#texts.delete(rrid)
    this.#texts.set(rrid, text)
    return text
  }

  /** Records a request for a batch that is not cached, and keeps its text from the second request on. */
  set(rrid: string, text: string): void {
    if (text.length > MAX_TEXT_LENGTH || !this.#wasRequested(rrid)) return
    this.delete(rrid)
    this.#texts.set(rrid, text)
    this.#length += text.length
    for (const oldest of this.#texts.keys()) {
      if (this.#length <= MAX_LENGTH) break
      this.delete(oldest)
    }
  }

  delete(rrid: string): void {
    this.#length -= this.#texts.get(rrid)?.length ?? 0
    this.#texts.delete(rrid)
  }

  clear(): void {
    this.#texts.clear()
    this.#length = 0
  }

  /** Whether the batch was requested lately; remembers this request. */
  #wasRequested(rrid: string): boolean {
    if (this.#once.has(rrid)) return true
    this.#once.add(rrid)
    const [oldest] = this.#once
    if (this.#once.size > MAX_ONCE && oldest !== undefined) this.#once.delete(oldest)
    return false
  }
}
