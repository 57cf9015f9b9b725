import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { writePrivately } from '../../files/private-file.ts'

/** Bytes at the start of a file that identify it. */
const IDENTIFYING_BYTES = 64 * 1024

const sourceSchema = Type.Object({ bytes: Type.Integer(), modifiedMs: Type.Number(), begins: Type.String() })

const positionSchema = Type.Object({
  source: sourceSchema,
  /** Target and mode of the import. */
  target: Type.String(),
  epoch: Type.Optional(Type.String()),
  /** Every byte before this offset is in the tree. */
  offset: Type.Integer({ minimum: 0 }),
  /** Objects and arrays around the offset, with their known priorities. */
  open: Type.Array(
    Type.Object({
      key: Type.String(),
      isArray: Type.Boolean(),
      count: Type.Integer({ minimum: 0 }),
      priority: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
    }),
  ),
})

/** Saved position of an import, in a file beside the imported one. */
export type ImportPosition = Static<typeof positionSchema>

/** File with the saved position of a file. */
export function positionFile(file: string): string {
  return `${file}.import-state`
}

/** Identity of a file, so that no import continues with another one. */
export async function sourceOf(file: string): Promise<ImportPosition['source']> {
  const { size, mtimeMs } = statSync(file)
  const begins = createHash('sha256')
    .update(await Bun.file(file).slice(0, IDENTIFYING_BYTES).bytes())
    .digest('hex')
  return { bytes: size, modifiedMs: mtimeMs, begins }
}

/** @returns `undefined` without a saved position @throws Error when the file holds something else */
export function readPosition(file: string): ImportPosition | undefined {
  const name = positionFile(file)
  if (!existsSync(name)) return undefined
  try {
    const note: unknown = JSON.parse(readFileSync(name, 'utf8'))
    if (Value.Check(positionSchema, note)) return note
  } catch {
    // Reported below, as other content.
  }
  throw new Error(`${name} says nothing of an import: remove it to begin anew`)
}

/** Saves a position. Durable when it returns. */
export function writePosition(file: string, note: ImportPosition): void {
  writePrivately(positionFile(file), `${JSON.stringify(note)}\n`)
}

export function removePosition(file: string): void {
  rmSync(positionFile(file), { force: true })
}
