/** Name of the limit among the texts stored beside a tree. */
export const WRITE_SIZE_LIMIT = 'defaultWriteSizeLimit'

const SECONDS: ReadonlyMap<string, number> = new Map([
  ['tiny', 1],
  ['small', 10],
  ['medium', 30],
  ['large', 60],
  ['unlimited', Number.POSITIVE_INFINITY],
])

/**
 * Maximum estimated duration of a write, in seconds.
 * @param size `tiny` to `unlimited`
 * @returns `undefined` for no size and for an unknown one
 */
export function writeSeconds(size: string | undefined): number | undefined {
  return size === undefined ? undefined : SECONDS.get(size)
}
