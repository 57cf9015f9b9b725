import type { AdminClient } from '../../admin/admin-client.ts'
import { type ImportedMessage, PAGE_RECORDS } from '../../admin/sms-import.ts'
import { messageOf as errorText } from '../../files/system-error.ts'
import { fileName } from '../terminal/input.ts'
import { print, printJson, type ReportFlags } from '../terminal/output.ts'
import { Progress } from '../terminal/progress.ts'
import { messageOf } from './columns.ts'
import { type FileFormat, LineError, type Row } from './file.ts'
import { sizeOf, textOf } from './input.ts'

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
  const progress = new Progress('messages', sizeOf(file), !json && !quiet)
  const importing = new Importing(admin, id)
  let bytes = 0
  const text = textOf(file, (count) => {
    bytes += count
  })
  try {
    for await (const rows of format.read(text)) {
      for (const row of rows) await importing.take(row)
      progress.show(importing.messages, bytes)
    }
    await importing.end()
  } catch (cause) {
    progress.clear()
    if (importing.messages > 0 && !json && !quiet) print(importing.summary)
    throw new Error(`${fileName(file)}:${complaintOf(cause)}; ${importing.rest}`, { cause })
  }
  progress.clear()
  if (json) printJson(importing.counts)
  else if (!quiet) print(importing.summary)
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
  #added = 0
  #known = 0
  #changed = 0

  constructor(admin: AdminClient, id: string) {
    this.#admin = admin
    this.#id = id
  }

  /** Messages imported so far. */
  get messages(): number {
    return this.#added + this.#known + this.#changed
  }

  /** Number of messages by result. */
  get counts(): Readonly<Record<string, number>> {
    return { messages: this.messages, added: this.#added, known: this.#known, changed: this.#changed }
  }

  get summary(): string {
    return `imported ${this.messages} messages: ${this.#added} added, ${this.#known} known, ${this.#changed} changed`
  }

  /** Messages that an error leaves out. */
  get rest(): string {
    return this.messages === 0 ? 'nothing is imported' : `nothing from line ${this.#lastImported + 1} on is imported`
  }

  async take({ line, cells }: Row): Promise<void> {
    this.#page.push(atLine(line, () => messageOf(cells, this.#now)))
    this.#lines.push(line)
    if (this.#page.length === PAGE_RECORDS) await this.#import()
  }

  async end(): Promise<void> {
    if (this.#page.length > 0) await this.#import()
  }

  async #import(): Promise<void> {
    const reply = await this.#admin.call('sms-import', { id: this.#id, page: this.#page })
    if ('wrong' in reply) throw new LineError(this.#lines[reply.wrong.at] ?? 0, reply.wrong.complaint)
    this.#added += reply.imported.added
    this.#known += reply.imported.known
    this.#changed += reply.imported.changed
    this.#lastImported = this.#lines.at(-1) ?? 0
    this.#page = []
    this.#lines = []
  }
}

function atLine<T>(line: number, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new LineError(line, errorText(cause))
  }
}

function complaintOf(cause: unknown): string {
  const message = errorText(cause)
  return cause instanceof LineError ? `${cause.line}: ${message}` : ` ${message}`
}
