import { isStringText, type JsonText, parseStored, print } from '../../tree/json/print.ts'
import type { Path } from '../../tree/path.ts'
import { childKeys, leafOf, type Value, valueAt } from '../../tree/value.ts'
import { holdsLeaf, leafInText } from './leaf-in-text.ts'

/** The value at a path inside the text of a slot; `undefined` where there is none. */
export function valueInText(text: JsonText, path: Path): Value | undefined {
  // A string has no children and takes long to parse when it is long.
  if (path.length > 0 && isStringText(text)) return undefined
  return valueAt(parseStored(text), path)
}

/** As `valueInText`, without parsing a text of leaves. A string that it returns may share the memory of the text. */
export function foundInText(text: JsonText, path: Path): Value | undefined {
  const [key] = path
  if (path.length === 1 && key !== undefined && holdsLeaf(text, key)) return leafInText(text, key)
  return valueInText(text, path)
}

/** Text that a shallow read answers for a value: its keys, or the leaf. */
export function shallowText(value: Value): JsonText {
  const leaf = leafOf(value)
  if (leaf !== undefined) return print(leaf, 'plain')
  const shallow = Object.create(null)
  for (const key of childKeys(value)) shallow[key] = true
  return print(shallow, 'export')
}
