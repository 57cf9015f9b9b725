import type { CommitPart } from '../batch.ts'
import { arrayOf } from '../connection/arrays.ts'

/** A text beside the tree as it is stored: JSON, because PostgreSQL stores no character 0 and no half of a surrogate pair. */
export function encodeText(text: string): string {
  return JSON.stringify(text)
}

export function decodeText(stored: string): string {
  return JSON.parse(stored) as string
}

/** The parts of a commit that write texts beside the tree. @param at time of the records, in milliseconds since 1970 */
export function textParts(
  settings: ReadonlyMap<string, string>,
  records: ReadonlyMap<string, string>,
  at: number,
): readonly CommitPart[] {
  const parts: CommitPart[] = []
  if (settings.size > 0) {
    const [names, texts] = columnsOf(settings)
    parts.push({
      name: 'setting_in',
      sql: ({ tree, guard, add }) =>
        `INSERT INTO setting (tree, name, text) SELECT ${tree}, s.* FROM unnest(${add(names, 'text[]')}, ` +
        `${add(texts, 'text[]')}) AS s(name, text) WHERE ${guard} ` +
        'ON CONFLICT (tree, name) DO UPDATE SET text = excluded.text',
    })
  }
  if (records.size > 0) {
    const [keys, texts] = columnsOf(records)
    parts.push({
      name: 'note_in',
      sql: ({ tree, guard, add }) =>
        `INSERT INTO note (tree, key, at, text) SELECT ${tree}, s.key, ${add(at, 'bigint')}, s.text ` +
        `FROM unnest(${add(keys, 'text[]')}, ${add(texts, 'text[]')}) AS s(key, text) WHERE ${guard} ` +
        'ON CONFLICT (tree, key) DO UPDATE SET at = excluded.at, text = excluded.text',
    })
  }
  return parts
}

function columnsOf(texts: ReadonlyMap<string, string>): readonly [names: string, texts: string] {
  return [arrayOf([...texts.keys()].map(encodeText)), arrayOf([...texts.values()].map(encodeText))]
}
