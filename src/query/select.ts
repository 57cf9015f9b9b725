import type { Query } from './query.ts'
import { comparePositions, contains, type Position, rangeOf } from './range.ts'

/** The children a query chooses, in its order, out of a list that need not be sorted. */
export function select<T extends Position>(query: Query, children: readonly T[]): readonly T[] {
  const range = rangeOf(query)
  const chosen = children.filter((child) => contains(range, child)).sort(comparePositions)
  if (query.limit === undefined) return chosen
  const { count, from } = query.limit
  return from === 'first' ? chosen.slice(0, count) : chosen.slice(-count)
}
