import type { JsonText } from '../../../tree/json/print.ts'
import type { Value } from '../../../tree/value.ts'
import { charactersInChunks, charactersOf, chunkKey, frameOf } from '../../rows/chunked-text.ts'
import type { Connection } from '../file/connection.ts'
import { defineStatements } from '../file/statements.ts'

const statements = defineStatements({
  // Raw SQL: these run for every chunk.
  insert: ({ client }) => client.prepare<unknown, [number, JsonText]>('INSERT INTO text_chunk(id, text) VALUES (?, ?)'),
  chunk: ({ client }) => client.prepare<{ text: JsonText }, [number]>('SELECT text FROM text_chunk WHERE id = ?'),
  chunkInside: ({ client }) =>
    client.prepare<{ text: JsonText }, [number]>(
      'SELECT text FROM text_chunk WHERE id = ?1 AND EXISTS (SELECT 1 FROM text_chunk WHERE id = ?1 + 1)',
    ),
  last: ({ client }) =>
    client.prepare<{ id: number }, [number, number]>(
      'SELECT id FROM text_chunk WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1',
    ),
  replace: ({ client }) => client.prepare<unknown, [JsonText, number]>('UPDATE text_chunk SET text = ? WHERE id = ?'),
  remove: ({ client }) =>
    client.prepare<unknown, [number, number, number]>(
      'DELETE FROM text_chunk WHERE id IN (SELECT id FROM text_chunk WHERE id >= ? AND id < ? ORDER BY id LIMIT +?)',
    ),
})

/** Reads and writes the chunks of long texts, in the transaction that is open on the connection. */
export class TextChunks {
  readonly #statements

  constructor(connection: Connection) {
    this.#statements = statements(connection)
  }

  /** Writes the chunks of a leaf. After each it yields the length of what it wrote. */
  *insert(text: number, leaf: Value, string: string, length: number): Generator<number, void> {
    const [before, behind] = frameOf(leaf)
    let chunk = 0
    const add = (part: JsonText) => {
      this.#statements.insert.run(chunkKey(text, chunk++), part)
      return part.length
    }
    add(before)
    for (const part of charactersInChunks(string, length)) yield add(part)
    add(behind)
  }

  /** Writes the first and the last chunk anew, for a leaf with the same string. */
  setFrame(text: number, leaf: Value): void {
    const [before, behind] = frameOf(leaf)
    const last = this.#statements.last.get(chunkKey(text, 0), chunkKey(text + 1, 0))
    this.#statements.replace.run(before, chunkKey(text, 0))
    if (last !== null) this.#statements.replace.run(behind, last.id)
  }

  /** All chunks of a text. */
  *of(text: number): Generator<JsonText, void> {
    for (let chunk = 0; ; chunk++) {
      const row = this.#statements.chunk.get(chunkKey(text, chunk))
      if (row === null) return
      yield row.text
    }
  }

  /** Characters of the string of a text, by the number of the chunk from 0; `undefined` behind its end. */
  characters(text: number, chunk: number): string | undefined {
    // The first chunk and the last one have none.
    const row = this.#statements.chunkInside.get(chunkKey(text, chunk + 1))
    return row === null ? undefined : charactersOf(row.text)
  }

  /** The whole string of a text, read with pauses. */
  *string(text: number): Generator<void, string> {
    const parts: string[] = []
    for (let part = this.characters(text, 0); part !== undefined; part = this.characters(text, parts.length)) {
      parts.push(part)
      yield
    }
    return parts.join('')
  }

  /** Removes some chunks of a text. @returns how many there were */
  remove(text: number, limit: number): number {
    return this.#statements.remove.run(chunkKey(text, 0), chunkKey(text + 1, 0), limit).changes
  }
}
