/** One server-sent event. */
export interface ServerEvent {
  readonly event: string
  readonly data: string
  /** Where the stream can be resumed; `undefined` without one. */
  readonly id: string | undefined
}

/** An event was longer than the reader takes. */
export class EventTooLong extends Error {}

/**
 * Reads server-sent events from the body of a reply until it ends. `EventSource` cannot send a credential in a header.
 * @param maxLength longest event, in UTF-16 code units
 * @param onEvent called for each event, in order
 * @throws EventTooLong; whatever reading throws
 */
export async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxLength: number,
  onEvent: (event: ServerEvent) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const parser = new EventParser(maxLength, onEvent)
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) parser.push(part.value)
  } finally {
    reader.cancel().catch(() => {})
  }
}

class EventParser {
  readonly #maxLength: number
  readonly #onEvent: (event: ServerEvent) => void
  /** Pieces of a line whose end has not come yet, and their length. */
  #pieces: string[] = []
  #length = 0
  #event = 'message'
  #data: string[] = []
  #id: string | undefined

  constructor(maxLength: number, onEvent: (event: ServerEvent) => void) {
    this.#maxLength = maxLength
    this.#onEvent = onEvent
  }

  push(text: string): void {
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#pieces.push(text.slice(from, end))
      const line = this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('')
      this.#pieces = []
      this.#length = 0
      from = end + 1
      this.#line(line)
    }
    if (from === text.length) return
    this.#pieces.push(text.slice(from))
    this.#length += text.length - from
    if (this.#length > this.#maxLength) throw new EventTooLong('an event is too long')
  }

  #line(line: string): void {
    if (line === '') {
      if (this.#data.length > 0) this.#onEvent({ event: this.#event, data: this.#data.join('\n'), id: this.#id })
      this.#event = 'message'
      this.#data = []
      this.#id = undefined
    } else if (line.startsWith('data: ')) this.#data.push(line.slice(6))
    else if (line.startsWith('event: ')) this.#event = line.slice(7)
    else if (line.startsWith('id: ')) this.#id = line.slice(4)
  }
}
