/** Name of the limit among the texts kept beside a tree. */
export const WRITE_SIZE_LIMIT = 'defaultWriteSizeLimit'

const SECONDS: ReadonlyMap<string, number> = new Map([
  ['tiny', 1],
  ['small', 10],
  ['medium', 30],
  ['large', 60],
  ['unlimited', Number.POSITIVE_INFINITY],
])

/**
 * The time a write of a size may be estimated at, in seconds.
 * @param size `tiny` to `unlimited`
 * @returns `undefined` for no size and for one that is none
 */
export function writeSeconds(size: string | undefined): number | undefined {
  return size === undefined ? undefined : SECONDS.get(size)
}
