import type { Change } from '../../tree/change.ts'
import { type JsonText, printWithin } from '../../tree/json/print.ts'
import type { Write } from '../../tree/write.ts'
import { longString } from './chunked-text.ts'

/** Maximum length of the stored data of one change, in UTF-16 code units. Longer data is not stored: readers get it from the tree. */
const MAX_DATA_LENGTH = 16_384

/** Stored text of a put's value, or an object of relative paths for a patch; `undefined` if it is too long. */
export function dataOf({ kind, path, writes }: Change, texts: readonly (JsonText | undefined)[]): JsonText | undefined {
  const members: string[] = []
  let length = 0
  for (const [index, write] of writes.entries()) {
    const text = texts[index] ?? textOf(write)
    if (text === undefined) return undefined
    const below = write.kind === 'priority' ? [...write.path, '.priority'] : write.path
    members.push(kind === 'put' ? text : `${JSON.stringify(below.slice(path.length).join('/'))}:${text}`)
    length += text.length
    if (length > MAX_DATA_LENGTH) return undefined
  }
  return kind === 'put' ? members[0] : `{${members.join(',')}}`
}

function textOf(write: Write): JsonText | undefined {
  if (write.kind === 'priority') return JSON.stringify(write.priority ?? null)
  const { value } = write
  if (value === undefined) return 'null'
  // Printing a long leaf takes long, whatever the bound.
  return longString(value, MAX_DATA_LENGTH) === undefined ? printWithin(value, MAX_DATA_LENGTH) : undefined
}
