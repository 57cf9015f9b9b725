import type { CopySource, MovedMark } from '../../rows/copy/copy-ends.ts'
import { type CopiedRow, type CopiedTable, PAGE, type TreeNumbers } from '../../rows/copy/tables.ts'
import { Trait } from '../../rows/slot.ts'
import { closeWriter } from '../file/close-writer.ts'
import type { Connection } from '../file/connection.ts'
import { type OpenFile, openFile } from '../file/open.ts'
import { readMeta } from '../log/meta.ts'
import { readMoved, writeMoved } from '../log/moved.ts'
import { TextChunks } from '../tree/text-chunks.ts'
import { copiedChange } from './change-rows.ts'

/** Prefix of the names of settings in `meta`. */
export const SETTING_PREFIX = 'setting:'

/** What a statement reads of a table; of others all columns. */
const SELECTS: Readonly<Record<string, string>> = {
  interior:
    `SELECT id, parent_id, key, child_count, traits | iif(id IN with_chunks, ${Trait.longTexts}, 0) FROM interior ` +
    'WHERE id NOT IN gone ORDER BY id',
  closure: 'SELECT ancestor, descendant, depth FROM closure WHERE descendant NOT IN gone ORDER BY ancestor, descendant',
  node: 'SELECT parent_id, key, kind, value, id FROM node WHERE parent_id NOT IN gone ORDER BY parent_id, key',
  index_definition:
    'SELECT id, list_id, path, covering, used_at FROM index_definition ' +
    'WHERE list_id > 0 AND list_id NOT IN gone ORDER BY id',
  log: 'SELECT seq, at, kind, path, data FROM change ORDER BY seq',
  note: 'SELECT at, key, text FROM note ORDER BY seq',
  // SQLite ends a part of a text at a character 0.
  setting: `SELECT name, value FROM meta WHERE name GLOB '${SETTING_PREFIX}*' ORDER BY name`,
}
/** Tables that have another name in a file. */
const TABLES: Readonly<Record<string, string>> = {
  log: 'change',
  setting: `meta WHERE name GLOB '${SETTING_PREFIX}*'`,
}

/**
 * `gone`: interior nodes that are not copied, those of detached subtrees, whose rows are removed in steps, and texts in chunks.
 * `with_chunks`: lists that have a text in chunks; where it is one text, they have long texts.
 */
const TEMPORARY = [
  'CREATE TEMP TABLE gone AS WITH RECURSIVE g(id) AS (SELECT id FROM detached UNION ' +
    'SELECT n.id FROM g JOIN node n ON n.parent_id = g.id WHERE n.id IS NOT NULL) SELECT id FROM g ' +
    `UNION SELECT id FROM interior WHERE traits & ${Trait.chunks}`,
  'CREATE UNIQUE INDEX temp.gone_id ON gone(id)',
  `CREATE TEMP TABLE with_chunks AS SELECT DISTINCT parent_id AS id FROM interior WHERE traits & ${Trait.chunks}`,
  'CREATE UNIQUE INDEX temp.with_chunks_id ON with_chunks(id)',
]

const NUMBERS =
  'SELECT coalesce(max(seq), 0) AS seq, max((SELECT coalesce(max(id), 0) FROM interior), ' +
  '(SELECT coalesce(max(id), 0) FROM detached), (SELECT coalesce(max(id), 0) FROM index_definition), ' +
  '(SELECT coalesce(max(id), 0) FROM sms_batch)) + 1 AS nextId FROM change'

/** The file of a tree, which no other process has open meanwhile. To be disposed: that lets others open it. */
export class FileSource implements CopySource, Disposable {
  readonly #file: OpenFile
  readonly #chunks: TextChunks
  /** Where it was moved already. */
  readonly moved: MovedMark | undefined
  readonly numbers: TreeNumbers

  /** @param path of a file that exists @throws Error that names it when another process has it open, or it cannot be opened */
  constructor(path: string) {
    this.#file = openFile(path, () => {}, true)
    try {
      const { writer } = this.#file
      this.moved = readMoved(writer)
      this.#chunks = new TextChunks(writer)
      for (const statement of TEMPORARY) writer.client.run(statement)
      this.numbers = numbersOf(writer)
    } catch (error) {
      this[Symbol.dispose]()
      throw error
    }
  }

  get epoch(): string {
    return this.#file.epoch
  }

  async *pages({ name, columns, keyLength }: CopiedTable): AsyncGenerator<readonly CopiedRow[], void> {
    const { client } = this.#file.writer
    const names = Object.keys(columns)
    const all = `SELECT ${names.join(', ')} FROM ${name} ORDER BY ${names.slice(0, keyLength).join(', ')}`
    let page: CopiedRow[] = []
    let length = 0
    for (const found of client.prepare<Record<string, string | number | null>, []>(SELECTS[name] ?? all).iterate()) {
      const row = this.#copied(name, Object.values(found))
      for (const value of row) if (typeof value === 'string') length += value.length
      page.push(row)
      if (page.length < PAGE.rows && length < PAGE.length) continue
      yield page
      page = []
      length = 0
    }
    if (page.length > 0) yield page
  }

  async count({ name }: CopiedTable): Promise<number> {
    const { client } = this.#file.writer
    return client.prepare<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${TABLES[name] ?? name}`).get()?.rows ?? 0
  }

  async markMoved(mark: MovedMark): Promise<void> {
    const { writer } = this.#file
    writer.client.run('PRAGMA synchronous = FULL')
    writer.client.transaction(() => writeMoved(writer, mark)).immediate()
  }

  [Symbol.dispose](): void {
    closeWriter(this.#file.writer, () => {})
    this.#file.unlock()
  }

  #copied(table: string, row: CopiedRow): CopiedRow {
    if (table === 'log') return copiedChange(row)
    if (table === 'setting') return [String(row[0]).slice(SETTING_PREFIX.length), row[1] ?? null]
    if (table !== 'node') return row
    const [parent = null, key = null, kind = null, value, id] = row
    if (typeof value !== 'string' || typeof id !== 'number') return row
    return [parent, key, kind, [...this.#chunks.of(id)].join(''), null]
  }
}

function numbersOf(connection: Connection): TreeNumbers {
  const { client } = connection
  const { seq, nextId } = client.prepare<{ seq: number; nextId: number }, []>(NUMBERS).get() ?? { seq: 0, nextId: 1 }
  const at = client.prepare<{ at: number }, [number]>('SELECT at FROM change WHERE seq = ?').get(seq)?.at ?? 0
  return { seq, at, pushTime: Number(readMeta(connection, 'push_time') ?? 0), nextId }
}
