import { commitsBatch } from './batch-statements.ts'

/** Length of the head of a message: its type, and its length. */
const HEAD = 5
/** First message of a connection that is no question for encryption. */
const VERSION_3 = 196_608

/** Reads what a client sends to PostgreSQL, and notices statements that commit a batch. */
export class FrontendReader {
  /** Names of prepared statements that commit. */
  readonly #commits = new Set<string>()
  #rest: Buffer = Buffer.alloc(0)
  #isStarted = false

  /** @returns whether the bytes end a message that commits */
  read(bytes: Buffer): boolean {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    let commits = false
    for (let message = this.#next(); message !== undefined; message = this.#next()) {
      if (this.#isCommit(message)) commits = true
    }
    return commits
  }

  #next(): Buffer | undefined {
    const start = this.#isStarted ? 1 : 0
    if (this.#rest.length < start + 4) return undefined
    const length = start + this.#rest.readUInt32BE(start)
    if (this.#rest.length < length) return undefined
    const message = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    if (!this.#isStarted) this.#isStarted = message.length >= 8 && message.readUInt32BE(4) === VERSION_3
    return message
  }

  #isCommit(message: Buffer): boolean {
    const kind = String.fromCharCode(message[0] ?? 0)
    if (kind === 'Q') return isCommitText(textAt(message, HEAD))
    if (kind === 'P') {
      const name = textAt(message, HEAD)
      if (isCommitText(textAt(message, HEAD + Buffer.byteLength(name) + 1))) this.#commits.add(name)
      else this.#commits.delete(name)
      return false
    }
    if (kind !== 'B') return false
    const portal = textAt(message, HEAD)
    return this.#commits.has(textAt(message, HEAD + Buffer.byteLength(portal) + 1))
  }
}

function isCommitText(text: string): boolean {
  return commitsBatch(text) || text === 'COMMIT'
}

/** The text that begins at a place and ends before a zero. */
function textAt(message: Buffer, start: number): string {
  return message.toString('utf8', start, message.indexOf(0, start))
}
