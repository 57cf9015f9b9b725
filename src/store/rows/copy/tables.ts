/** How a column is copied: as it is, or as a text that PostgreSQL stores in another form. */
type ColumnKind = 'number' | 'text' | StoredForm

/** The form in which PostgreSQL stores any text. */
interface StoredForm {
  encode(text: string): string
  decode(stored: string): string
}

/** A table that both engines have under the same name, with the same columns except the number of the tree. */
export interface CopiedTable {
  readonly name: string
  /** Columns by name. The first ones, `keyLength` of them, are unique together and have an index: rows are read in their order. */
  readonly columns: Readonly<Record<string, ColumnKind>>
  readonly keyLength: number
}

/** Values of the columns, in the order of the table. A text is in no stored form. */
export type CopiedRow = readonly (string | number | null)[]

/** Texts beside the tree. */
const json: StoredForm = {
  encode: (text) => JSON.stringify(text),
  decode: (stored) => JSON.parse(stored) as string,
}

/** A slot. No text is in chunks: a slot has the whole text. */
const NODE: CopiedTable = {
  name: 'node',
  columns: { parent_id: 'number', key: 'text', kind: 'number', value: 'text', id: 'number' },
  keyLength: 2,
}

/** An interior node; none is a text in chunks. */
const INTERIOR: CopiedTable = {
  name: 'interior',
  columns: { id: 'number', parent_id: 'number', key: 'text', child_count: 'number', traits: 'number' },
  keyLength: 1,
}

const CLOSURE: CopiedTable = {
  name: 'closure',
  columns: { ancestor: 'number', descendant: 'number', depth: 'number' },
  keyLength: 2,
}

/** An index, which is built again when the tree is first opened: its entries differ between the engines. */
const INDEX: CopiedTable = {
  name: 'index_definition',
  columns: { id: 'number', list_id: 'number', path: 'text', covering: 'number', used_at: 'number' },
  keyLength: 1,
}

/** Some consecutive commits. `heads` is JSON text: kind, path and length of the data of each. */
export const LOG: CopiedTable = {
  name: 'log',
  columns: { last_seq: 'number', first_seq: 'number', at: 'number', heads: 'text', data: 'text' },
  keyLength: 1,
}

/** Idempotency records, oldest first. */
const NOTE: CopiedTable = { name: 'note', columns: { at: 'number', key: json, text: json }, keyLength: 2 }

/** Settings of the tree. */
const SETTING: CopiedTable = { name: 'setting', columns: { name: json, text: json }, keyLength: 1 }

/** A session of a client. It belongs to no process: the one that opens the tree first writes what the session has left. */
const SESSION: CopiedTable = { name: 'session', columns: { session: 'text', caller: 'text' }, keyLength: 1 }

/** A value that a session has left to be written. */
const SESSION_VALUE: CopiedTable = {
  name: 'session_value',
  columns: { session: 'text', position: 'number', path: 'text', json: 'text' },
  keyLength: 2,
}

/** The tables of the tree itself. The closure comes before the slots: a target finds the ancestors of a slot there. */
export const TREE_TABLES: readonly CopiedTable[] = [
  INTERIOR,
  CLOSURE,
  NODE,
  INDEX,
  LOG,
  NOTE,
  SETTING,
  SESSION,
  SESSION_VALUE,
]

/** Numbers of the tree as a whole, beside its rows. */
export interface TreeNumbers {
  /** Number of the last commit. */
  readonly seq: number
  /** Time of the last commit, or later, in milliseconds since 1970. */
  readonly at: number
  /** Floor of the time in generated keys. */
  readonly pushTime: number
  /** Next id of interior nodes, indexes and batches of text messages. */
  readonly nextId: number
}

/** Rows read at once: at most this many, and no more once they have this length in UTF-16 code units or bytes. */
export const PAGE = { rows: 4096, length: 1024 * 1024 }
