import type { JsonText } from '../../tree/json/print.ts'
import { COLON, COMMA, OPEN_OBJECT, QUOTE } from '../../tree/json/shape/json-shape.ts'
import type { Leaf } from '../../tree/value.ts'

/**
 * Whether `leafInText` finds the member with this key in a stored text. The text must be of an object without objects,
 * arrays and escapes in it.
 */
export function holdsLeaf(text: JsonText, key: string): boolean {
  if (text.charCodeAt(0) !== OPEN_OBJECT) return false
  if (text.includes('\\') || text.includes('{', 1) || text.includes('[')) return false
  // Such a key in quotation marks may be equal to the end of one string and the beginning of another.
  const first = key.charCodeAt(0)
  return first !== COMMA && first !== COLON && !key.includes('"')
}

/**
 * The member of an object, found in its stored text without parsing the text. A string may share the memory of the text.
 * @param text stored text that satisfies `holdsLeaf` with this key
 */
export function leafInText(text: JsonText, key: string): Leaf | undefined {
  // Stored text has no spaces, and without escapes each quotation mark is the first or the last of a key or a string.
  const name = `"${key}":`
  const at = text.indexOf(name)
  if (at === -1) return undefined
  const start = at + name.length
  if (text.charCodeAt(start) === QUOTE) return text.slice(start + 1, text.indexOf('"', start + 1))
  const comma = text.indexOf(',', start)
  const literal = text.slice(start, comma === -1 ? -1 : comma)
  return literal === 'true' ? true : literal === 'false' ? false : Number(literal)
}
