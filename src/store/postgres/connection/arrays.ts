const SPECIAL = /[\\"]/g

/** The text of an array parameter, for `$1::text[]`, `$1::bigint[]` and others. */
export function arrayOf(items: readonly (string | number | boolean | null)[]): string {
  let text = '{'
  for (const [index, item] of items.entries()) {
    if (index > 0) text += ','
    if (item === null) text += 'NULL'
    else if (typeof item === 'string') text += `"${item.replace(SPECIAL, '\\$&')}"`
    else text += String(item)
  }
  return `${text}}`
}

/** The text of a `bytea[]` parameter. */
export function byteArrays(items: readonly Uint8Array[]): string {
  return `{${items.map((bytes) => `"\\\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}"`).join(',')}}`
}
