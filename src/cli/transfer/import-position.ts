import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { writePrivately } from '../../files/private-file.ts'

/** Bytes at the beginning of a file by which it is known again. */
const KNOWN_BYTES = 64 * 1024

const sourceSchema = Type.Object({ bytes: Type.Integer(), modifiedMs: Type.Number(), begins: Type.String() })

const noteSchema = Type.Object({
  source: sourceSchema,
  /** What it is imported into, and how. */
  target: Type.String(),
  epoch: Type.Optional(Type.String()),
  /** Everything before that byte of the text is in the tree. */
  offset: Type.Integer({ minimum: 0 }),
  /** Objects and arrays around that place, with the priorities that have been met. */
  open: Type.Array(
    Type.Object({
      key: Type.String(),
      isArray: Type.Boolean(),
      count: Type.Integer({ minimum: 0 }),
      priority: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
    }),
  ),
})

/** How far an import has come: a file beside the imported one. */
export type ImportNote = Static<typeof noteSchema>

/** Where the note of a file lies. */
export function noteFile(file: string): string {
  return `${file}.import-state`
}

/** What a file is known by, so that nobody goes on with another one. */
export async function sourceOf(file: string): Promise<ImportNote['source']> {
  const { size, mtimeMs } = statSync(file)
  const begins = createHash('sha256')
    .update(await Bun.file(file).slice(0, KNOWN_BYTES).bytes())
    .digest('hex')
  return { bytes: size, modifiedMs: mtimeMs, begins }
}

/** @returns `undefined` when there is none @throws Error when it is not one of ours */
export function readNote(file: string): ImportNote | undefined {
  const name = noteFile(file)
  if (!existsSync(name)) return undefined
  try {
    const note: unknown = JSON.parse(readFileSync(name, 'utf8'))
    if (Value.Check(noteSchema, note)) return note
  } catch {
    // As one that says something else.
  }
  throw new Error(`${name} says nothing of an import: remove it to begin anew`)
}

/** Keeps a note. Durable when it returns. */
export function writeNote(file: string, note: ImportNote): void {
  writePrivately(noteFile(file), `${JSON.stringify(note)}\n`)
}

export function removeNote(file: string): void {
  rmSync(noteFile(file), { force: true })
}
