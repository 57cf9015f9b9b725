import { isSpace } from '../../tree/json/shape/json-shape.ts'

const INITIAL_BYTES = 1024 * 1024

/** The part of a text that is in memory. */
export class TextWindow {
  bytes = new Uint8Array(INITIAL_BYTES)
  /** Number of bytes in use. */
  length = 0
  /** Offset of the window in the text. */
  base = 0

  append(bytes: Uint8Array): void {
    const length = this.length + bytes.length
    if (length > this.bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.bytes.length))
      larger.set(this.bytes.subarray(0, this.length))
      this.bytes = larger
    }
    this.bytes.set(bytes, this.length)
    this.length = length
  }

  /** Removes bytes from the start. */
  drop(count: number): void {
    this.bytes.copyWithin(0, count, this.length)
    this.length -= count
    this.base += count
  }

  /** Index after the spaces at an index. */
  behindSpace(from: number): number {
    let at = from
    while (at < this.length && isSpace(this.bytes[at])) at++
    return at
  }
}
