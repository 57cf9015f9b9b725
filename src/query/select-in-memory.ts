import type { Steps } from '../scheduling/steps.ts'
import { filterInSteps, sortInSteps } from '../tree/json/sort-steps.ts'
import type { Query } from './query.ts'
import { comparePositions, contains, type Position, rangeOf } from './range.ts'

/** The children of an unsorted list that a query selects, in its order. */
export function select<T extends Position>(query: Query, children: readonly T[]): readonly T[] {
  const range = rangeOf(query)
  return limited(query, children.filter((child) => contains(range, child)).sort(comparePositions))
}

/** As `select`, with pauses. */
export function* selectInSteps<T extends Position>(query: Query, children: readonly T[]): Steps<readonly T[]> {
  const range = rangeOf(query)
  const within = yield* filterInSteps(children, (child) => contains(range, child))
  return limited(query, yield* sortInSteps(within, comparePositions))
}

/** Those that the limit of a query chooses. @param chosen in order */
export function limited<T>({ limit }: Query, chosen: readonly T[]): readonly T[] {
  if (limit === undefined) return chosen
  return limit.from === 'first' ? chosen.slice(0, limit.count) : chosen.slice(-limit.count)
}
