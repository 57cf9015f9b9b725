const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENS: ReadonlySet<number> = new Set([0x7b, 0x5b])
const CLOSES: ReadonlySet<number> = new Set([0x7d, 0x5d])

/** Measures JSON text by what the server counts of the body of a write, while the text passes by in parts. */
export class JsonMeasure {
  bytes = 0
  /** Leaves, objects and arrays; an empty one counts twice. */
  values = 1
  /** Most members of one object or array; 1 of an empty one. */
  mostMembers = 0
  readonly #members: number[] = []
  #isString = false
  #isEscaped = false

  /** @param part UTF-8 of valid JSON */
  add(part: Uint8Array): void {
    this.bytes += part.byteLength
    for (let at = 0; at < part.byteLength; at++) {
      const byte = part[at] ?? 0
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#isString) {
        if (byte === BACKSLASH) this.#isEscaped = true
        else if (byte === QUOTE) this.#isString = false
      } else if (byte === QUOTE) this.#isString = true
      else this.#structure(byte)
    }
  }

  #structure(byte: number): void {
    if (byte === COMMA) {
      this.values++
      const members = (this.#members.pop() ?? 0) + 1
      this.#members.push(members)
      if (members > this.mostMembers) this.mostMembers = members
    } else if (OPENS.has(byte)) {
      this.values++
      this.#members.push(1)
      this.mostMembers = Math.max(1, this.mostMembers)
    } else if (CLOSES.has(byte)) this.#members.pop()
  }
}
