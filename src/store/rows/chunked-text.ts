import { type JsonText, print } from '../../tree/json/print.ts'
import { pieceEnd } from '../../tree/json/text-pieces.ts'
import { PRIORITY } from '../../tree/key.ts'
import { emptyBranch, isBranch, leafOf, ownMember, VALUE, type Value } from '../../tree/value.ts'

/** Longest text of an index entry of a file, in UTF-16 code units; one more where the limit would split a surrogate pair. */
export const INDEXED_LENGTH = 1024
/**
 * Length of the beginning of a chunked string that its slot holds, in UTF-16 code units: an index entry is made of it,
 * and shows that it was cut.
 */
export const HEAD_LENGTH = INDEXED_LENGTH + 2
/** Greatest number of chunks of one text: enough for 500 Mi characters. Ids up to 2 ** 40 make exact keys with it. */
const MAX_CHUNKS = 2 ** 13
/** The first and the last chunk. */
const FRAME_CHUNKS = 2

/** The string of a leaf, with or without a priority, if it is longer than `length`; `undefined` for all other values. */
export function longString(value: Value, length: number): string | undefined {
  if (typeof value === 'string') return value.length > length ? value : undefined
  const leaf = isBranch(value) ? leafOf(value) : undefined
  return typeof leaf === 'string' && leaf.length > length ? leaf : undefined
}

/** Stored text of a leaf with only the beginning of its string. */
export function headOf(value: Value, string: string): JsonText {
  return print(withString(value, string.slice(0, pieceEnd(string, 0, HEAD_LENGTH))), 'stored')
}

/** Primary key of a chunk. @param text id of the chunked text */
export function chunkKey(text: number, chunk: number): number {
  return text * MAX_CHUNKS + chunk
}

/** What is before and behind the characters of the string in the stored text of a leaf: its first and its last chunk. */
export function frameOf(value: Value): readonly [before: JsonText, behind: JsonText] {
  const text = print(withString(value, ''), 'stored')
  // The priority comes first.
  const at = text.lastIndexOf('""') + 1
  return [text.slice(0, at), text.slice(at)]
}

/**
 * The characters of a string as JSON, in chunks that do not split a character.
 * @param length of a chunk, in UTF-16 code units; greater where there would be too many
 */
export function* charactersInChunks(string: string, length: number): Generator<JsonText, void> {
  const least = Math.ceil(string.length / (MAX_CHUNKS - FRAME_CHUNKS))
  for (let start = 0; start < string.length; ) {
    const end = pieceEnd(string, start, Math.max(length, least))
    yield JSON.stringify(string.slice(start, end)).slice(1, -1)
    start = end
  }
}

/** The characters of a chunk that `charactersInChunks` made. */
export function charactersOf(chunk: JsonText): string {
  return chunk.includes('\\') ? JSON.parse(`"${chunk}"`) : chunk
}

function withString(value: Value, string: string): Value {
  const priority = isBranch(value) ? ownMember(value, PRIORITY) : undefined
  if (priority === undefined) return string
  const leaf = emptyBranch()
  leaf[PRIORITY] = priority
  leaf[VALUE] = string
  return leaf
}
