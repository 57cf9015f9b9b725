import type { AdminClient } from '../../admin/admin-client.ts'
import { type ImportedMessage, PAGE_RECORDS } from '../../admin/sms-import.ts'
import { messageOf as errorText } from '../../files/system-error.ts'
import { chunksOf, fileName, reason, sizeOf } from '../terminal/input.ts'
import { print, printJson, type ReportFlags } from '../terminal/output.ts'
import { Progress } from '../terminal/progress.ts'
import { messageOf } from './columns.ts'
import { type FileFormat, LineError, type Row } from './file.ts'

/**
 * Imports a file page by page, and prints the counts.
 * @param id application of the messages
 * @param file `-` is standard input
 * @throws Error with the line of the fault, and the first line that is not imported
 */
export async function importFile(
  admin: AdminClient,
  id: string,
  file: string,
  format: FileFormat,
  { json, quiet }: ReportFlags,
): Promise<void> {
  const isShown = !json && !quiet
  const progress = new Progress('messages', sizeOf(file), isShown)
  const importing = new Importing(admin, id)
  const { counts } = importing
  let bytes = 0
  const text = textOf(file, (count) => {
    bytes += count
  })
  try {
    for await (const rows of format.read(text)) {
      for (const row of rows) await importing.take(row)
      progress.show(counts.messages, bytes)
    }
    await importing.end()
  } catch (cause) {
    progress.clear()
    if (counts.messages > 0 && isShown) print(importing.summary)
    throw new Error(`${fileName(file)}:${complaintOf(cause)}; ${importing.rest}`, { cause })
  }
  progress.clear()
  if (json) printJson(counts)
  else if (isShown) print(importing.summary)
}

/** Collects messages into pages, and imports each full page. */
class Importing {
  readonly #admin: AdminClient
  readonly #id: string
  /** Submission time of all messages without one in the file. */
  readonly #now = Date.now()
  #page: ImportedMessage[] = []
  /** Line of each message of the page. */
  #lines: number[] = []
  #lastImported = 0
  /** Number of imported messages, in all and by result. */
  readonly counts = { messages: 0, added: 0, known: 0, changed: 0 }

  constructor(admin: AdminClient, id: string) {
    this.#admin = admin
    this.#id = id
  }

  get summary(): string {
    const { messages, added, known, changed } = this.counts
    return `imported ${messages} messages: ${added} added, ${known} known, ${changed} changed`
  }

  /** Messages that an error leaves out. */
  get rest(): string {
    if (this.counts.messages === 0) return 'nothing is imported'
    return `nothing from line ${this.#lastImported + 1} on is imported`
  }

  async take({ line, cells }: Row): Promise<void> {
    try {
      this.#page.push(messageOf(cells, this.#now))
    } catch (cause) {
      throw new LineError(line, errorText(cause))
    }
    this.#lines.push(line)
    if (this.#page.length === PAGE_RECORDS) await this.#import()
  }

  async end(): Promise<void> {
    if (this.#page.length > 0) await this.#import()
  }

  async #import(): Promise<void> {
    const reply = await this.#admin.call('sms-import', { id: this.#id, page: this.#page })
    if ('wrong' in reply) throw new LineError(this.#lines[reply.wrong.at] ?? 0, reply.wrong.complaint)
    for (const name of ['added', 'known', 'changed'] as const) this.counts[name] += reply.imported[name]
    this.counts.messages += this.#page.length
    this.#lastImported = this.#lines.at(-1) ?? 0
    this.#page = []
    this.#lines = []
  }
}

function complaintOf(cause: unknown): string {
  const message = errorText(cause)
  return cause instanceof LineError ? `${cause.line}: ${message}` : ` ${message}`
}

/**
 * The text of a file in chunks, without a byte order mark.
 * @param onBytes receives the length of each chunk
 * @throws Error when the file cannot be read or is no text
 */
async function* textOf(file: string, onBytes: (count: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decoded = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (cause) {
      throw new Error('not UTF-8 text', { cause })
    }
  }
  for await (const bytes of readableChunks(file)) {
    onBytes(bytes.length)
    yield decoded(bytes)
  }
  yield decoded()
}

async function* readableChunks(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* chunksOf(file)
  } catch (cause) {
    throw new Error(`cannot be read: ${reason(cause)}`, { cause })
  }
}
