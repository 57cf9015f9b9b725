import type { JsonText } from '../../../tree/json/print.ts'
import type { PreparedText } from '../../rows/write-plan.ts'
import type { Connection } from '../file/connection.ts'
import { defineStatements } from '../file/statements.ts'

/** Texts that one statement inserts. */
export const INSERTED_AT_ONCE = 64
/** Longest text that is inserted together with others, in UTF-16 code units: a longer one takes most of a page. */
const SHORT_LENGTH = 1024

type TextRow = [parent: number, key: string, kind: number, text: JsonText]

function insertNew(rows: number): string {
  const values = new Array(rows).fill('(?, ?, ?, ?)').join(', ')
  return `INSERT INTO node(parent_id, key, kind, value) VALUES ${values} ON CONFLICT DO NOTHING`
}

const statements = defineStatements({
  insert: ({ client }) => client.prepare<unknown, TextRow>(insertNew(1)),
  insertMany: ({ client }) => client.prepare<unknown, (number | string)[]>(insertNew(INSERTED_AT_ONCE)),
})

/** Whether a text is inserted together with others. */
export function isShortText(text: JsonText): boolean {
  return text.length <= SHORT_LENGTH
}

/** Inserts the rows of texts into slots that do not exist. Keys are encoded by `sortKey`. */
export class NewTexts {
  readonly #statements
  /** Texts that wait to be inserted together. */
  #waiting: TextRow[] = []

  constructor(connection: Connection) {
    this.#statements = statements(connection)
  }

  /** @returns `false` when the slot exists */
  insert(parent: number, key: string, kind: number, text: JsonText): boolean {
    return this.#statements.insert.run(parent, key, kind, text).changes > 0
  }

  /** Inserts `INSERTED_AT_ONCE` texts whose slots do not exist. @returns how many did not */
  insertMany(parent: number, texts: readonly PreparedText[]): number {
    return this.#statements.insertMany.run(...texts.flatMap(({ key, kind, text }) => [parent, key, kind, text])).changes
  }

  /** Whether no text waits. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  /** Inserts a text now, with later ones or with the next `flush`. */
  add(parent: number, key: string, kind: number, text: JsonText): void {
    if (!isShortText(text)) {
      this.insert(parent, key, kind, text)
      return
    }
    this.#waiting.push([parent, key, kind, text])
    if (this.#waiting.length < INSERTED_AT_ONCE) return
    const columns = this.#waiting.flat()
    this.#waiting = []
    this.#statements.insertMany.run(...columns)
  }

  flush(): void {
    for (const row of this.#waiting) this.insert(...row)
    this.#waiting = []
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting = []
  }
}
