/** Tells where the answers of one HTTP/1.1 connection end, from its bytes as they come. */

const HEAD_END = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: (\d+)/i
const STATUS_AT = 'HTTP/1.1 '.length
const STATUS_LENGTH = 3

/** One answer at a time: nothing is asked before the last one is complete. */
export class AnswerReader {
  /** What has arrived of a head that is not complete. */
  #partial: Buffer = Buffer.alloc(0)
  #status = 0
  /** Bytes of the body still to come; `undefined` while its head is. */
  #missing: number | undefined

  /**
   * @returns the status, once all of the answer has arrived
   * @throws when the answer has no length, or goes on behind its end
   */
  read(bytes: Buffer): number | undefined {
    if (this.#missing === undefined) this.#readHead(bytes)
    else this.#missing -= bytes.length
    if (this.#missing === undefined || this.#missing > 0) return undefined
    if (this.#missing < 0) throw new Error('An answer is longer than it says')
    this.#missing = undefined
    return this.#status
  }

  #readHead(bytes: Buffer): void {
    const all = this.#partial.length === 0 ? bytes : Buffer.concat([this.#partial, bytes])
    const end = all.indexOf(HEAD_END)
    // The bytes are the connection's, which uses them again.
    this.#partial = end === -1 ? Buffer.from(all) : Buffer.alloc(0)
    if (end === -1) return
    const head = all.toString('latin1', 0, end)
    const [, length] = LENGTH.exec(head) ?? []
    if (length === undefined) throw new Error(`An answer has no length: ${head}`)
    this.#status = Number(head.slice(STATUS_AT, STATUS_AT + STATUS_LENGTH))
    this.#missing = Number(length) - (all.length - end - HEAD_END.length)
  }
}
