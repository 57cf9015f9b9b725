const SPECIAL = /[\\"]/g
const CONTROL = /\p{Cc}/u

/** The text of an array parameter, for `$1::text[]`, `$1::bigint[]` and others. */
export function arrayOf(items: readonly (string | number | boolean | null)[]): string {
  let text = '{'
  for (const [index, item] of items.entries()) {
    if (index > 0) text += ','
    if (item === null) text += 'NULL'
    else if (typeof item === 'string') text += quoted(item)
    else text += String(item)
  }
  return `${text}}`
}

/** A string of JSON is one of an array too, unless something but quotes and backslashes is escaped, and is made faster. */
function quoted(item: string): string {
  if (item.isWellFormed() && !CONTROL.test(item)) return JSON.stringify(item)
  return `"${item.replace(SPECIAL, '\\$&')}"`
}

/** The text of a `bytea[]` parameter. */
export function byteArrays(items: readonly Uint8Array[]): string {
  return `{${items.map((bytes) => `"\\\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}"`).join(',')}}`
}
