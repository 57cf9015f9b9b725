import type { Bound, Order } from './query.ts'

/** Keys that no child can have, by which Firebase's clients mean a place below every key and one above every key. */
const MIN_NAME = '[MIN_NAME]'
const MAX_NAME = '[MAX_NAME]'

/** Both ends of a query; `undefined` is an open end. */
interface Ends {
  readonly start: Bound | undefined
  readonly end: Bound | undefined
}

/**
 * Replaces bounds at `[MIN_NAME]` and `[MAX_NAME]` by equal ones that need no such key.
 * @see docs/reference/protocol.md#bounds-and-limits
 */
export function withoutExtremeKeys({ kind }: Order, { start, end }: Ends): Ends {
  if (kind === 'child') return { start: boundOfValue(start, MIN_NAME), end: boundOfValue(end, MAX_NAME) }
  const impossible = start?.value === MAX_NAME ? start : end?.value === MIN_NAME ? end : undefined
  if (impossible !== undefined) {
    // A range between a key and the same key, itself excluded, is empty.
    return { start: { ...impossible, inclusive: true }, end: { ...impossible, inclusive: false } }
  }
  return { start: start?.value === MIN_NAME ? undefined : start, end: end?.value === MAX_NAME ? undefined : end }
}

/** @param outer the key that leaves all children of the bound's value inside the range */
function boundOfValue(bound: Bound | undefined, outer: string): Bound | undefined {
  if (bound?.key !== MIN_NAME && bound?.key !== MAX_NAME) return bound
  return { value: bound.value, key: undefined, inclusive: bound.key === outer }
}
