/** Finished text kept, in UTF-16 code units: some three hundred batches of a hundred messages. */
const MAX_LENGTH = 4 * 1024 * 1024
/** A longer one is not worth the room. */
const MAX_TEXT_LENGTH = 256 * 1024
/** Batches remembered that were asked for once: about as many as there is room for. */
const MAX_ONCE = 256

/**
 * Answers about batches, kept for whoever asks again, as clients do until all of a batch is final. Those that are asked
 * for once, as by somebody who goes through all there are, would only drive the others out.
 */
export class BatchTexts {
  /** In the order in which they were asked for. */
  readonly #texts = new Map<string, string>()
  /** Those asked for once, in that order. */
  readonly #once = new Set<string>()
  #length = 0

  get(rrid: string): string | undefined {
    const text = this.#texts.get(rrid)
    if (text === undefined) return undefined
    this.#texts.delete(rrid)
    this.#texts.set(rrid, text)
    return text
  }

  /** Somebody has asked for a batch that is not kept. */
  set(rrid: string, text: string): void {
    if (text.length > MAX_TEXT_LENGTH || !this.#wasAskedFor(rrid)) return
    this.drop(rrid)
    this.#texts.set(rrid, text)
    this.#length += text.length
    for (const oldest of this.#texts.keys()) {
      if (this.#length <= MAX_LENGTH) break
      this.drop(oldest)
    }
  }

  /** Something of a batch has changed. */
  drop(rrid: string): void {
    this.#length -= this.#texts.get(rrid)?.length ?? 0
    this.#texts.delete(rrid)
  }

  clear(): void {
    this.#texts.clear()
    this.#length = 0
  }

  /** Whether it was not long ago; in any case it is from now on. */
  #wasAskedFor(rrid: string): boolean {
    if (this.#once.has(rrid)) return true
    this.#once.add(rrid)
    const [oldest] = this.#once
    if (this.#once.size > MAX_ONCE && oldest !== undefined) this.#once.delete(oldest)
    return false
  }
}
