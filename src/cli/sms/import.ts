import { type ImportedMessage, type MessageDesk, PAGE_RECORDS } from '../../admin/sms-admin.ts'
import { fileName } from '../terminal/input.ts'
import { print, printJson, type ReportFlags } from '../terminal/output.ts'
import { Progress } from '../terminal/progress.ts'
import { messageOf } from './columns.ts'
import { type FileFormat, LineError, type Row } from './file.ts'
import { sizeOf, textOf } from './input.ts'

/**
 * Imports a file page by page, and prints what became of its messages.
 * @param file `-` is standard input
 * @throws Error with the line of what is wrong, and from where on nothing is imported because of it
 */
export async function importFile(
  desk: MessageDesk,
  file: string,
  format: FileFormat,
  { json, quiet }: ReportFlags,
): Promise<void> {
  const progress = new Progress('messages', sizeOf(file), !json && !quiet)
  const importing = new Importing(desk)
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

/** Collects messages until they make a page, and imports that. */
class Importing {
  readonly #desk: MessageDesk
  /** One moment for all messages whose file does not tell theirs. */
  readonly #now = Date.now()
  #page: ImportedMessage[] = []
  /** Where each message of the page stands. */
  #lines: number[] = []
  #lastImported = 0
  #added = 0
  #known = 0
  #changed = 0

  constructor(desk: MessageDesk) {
    this.#desk = desk
  }

  /** Messages imported so far. */
  get messages(): number {
    return this.#added + this.#known + this.#changed
  }

  /** How many became what. */
  get counts(): Readonly<Record<string, number>> {
    return { messages: this.messages, added: this.#added, known: this.#known, changed: this.#changed }
  }

  get summary(): string {
    return `imported ${this.messages} messages: ${this.#added} added, ${this.#known} known, ${this.#changed} changed`
  }

  /** What an error leaves undone. */
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
    const reply = await this.#desk.import(this.#page)
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
    throw new LineError(line, cause instanceof Error ? cause.message : String(cause))
  }
}

function complaintOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  return cause instanceof LineError ? `${cause.line}: ${message}` : ` ${message}`
}
