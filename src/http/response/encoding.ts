const encoder = new TextEncoder()
/** Longest encoding of a character, in bytes. */
const MAX_CHARACTER_BYTES = 4
/**
 * Shared by all encodings: memory of its own for each would cost more than the encoding. What is encrypted next should
 * still be in a cache of the processor.
 */
const buffer = new Uint8Array(256 * 1024)

/** The UTF-8 of texts one behind the other, in blocks of at most 256 KiB. */
export class Encoding {
  readonly #texts: readonly string[]
  #index = 0
  /** Place in the text, in UTF-16 code units. */
  #at = 0

  /** @param texts none of them ends within a surrogate pair */
  constructor(texts: readonly string[]) {
    this.#texts = texts
    this.#skipEnded()
  }

  get isDone(): boolean {
    return this.#index === this.#texts.length
  }

  /** The next block. It is overwritten by the next one of any encoding: use or copy it before the next `await`. */
  next(): Uint8Array<ArrayBuffer> {
    let length = 0
    while (!this.isDone && buffer.length - length >= MAX_CHARACTER_BYTES) {
      const text = this.#texts[this.#index] ?? ''
      const rest = this.#at === 0 ? text : text.slice(this.#at)
      const { read, written } = encoder.encodeInto(rest, buffer.subarray(length))
      this.#at += read
      length += written
      this.#skipEnded()
    }
    return buffer.subarray(0, length)
  }

  #skipEnded(): void {
    while (this.#index < this.#texts.length && this.#at === this.#texts[this.#index]?.length) {
      this.#index++
      this.#at = 0
    }
  }
}
