import type { Query } from '../../query/query.ts'
import { keyPosition, type Position, positionOf } from '../../query/range.ts'
import { select } from '../../query/select-in-memory.ts'
import type { ChildText } from '../../tree/json/children-text.ts'
import { print } from '../../tree/json/print.ts'
import { keyOf, sortKey } from '../../tree/order.ts'
import { type Branch, childKeys, ownMember } from '../../tree/value.ts'
import { type Budget, spend } from './read-budget.ts'

/** Position of a key in lexicographic order. @param key encoded by `sortKey` */
export function keyByText(key: string): Position {
  return keyPosition(true, key)
}

/** Positions of those children of a branch that a query selects, in its order. */
export function chosenInText(branch: Branch, query: Query): readonly Position[] {
  return select(query, positionsInText(branch, query))
}

/** The children of a branch that a query selects. @throws `read-too-big` */
export function selectInText(branch: Branch, query: Query, budget: Budget): ChildText[] {
  return chosenInText(branch, query).map(({ key: sorted }) => {
    const key = keyOf(sorted)
    const child = ownMember(branch, key)
    return { key, text: child === undefined ? 'null' : spend(budget, print(child, 'stored'), key.length) }
  })
}

function positionsInText(branch: Branch, { orderBy }: Query): Position[] {
  return childKeys(branch).flatMap((key) => {
    const child = ownMember(branch, key)
    return child === undefined ? [] : [positionOf(orderBy, sortKey(key), child)]
  })
}
