import {
  compareSortValues,
  compareText,
  keyOf,
  SortKind,
  type SortValue,
  sortKeyBound,
  sortValue,
} from '../tree/order.ts'
import { type Value, valueAt } from '../tree/value.ts'
import type { Bound, Order, Query } from './query.ts'

/** Position of a child in an order: by value, then by key. */
export interface Position extends SortValue {
  /** `sortKey` of its key. */
  readonly key: string
}

/** One end of a range of positions. Without a key it covers all keys of that value. */
export interface Edge extends SortValue {
  readonly key: string | undefined
  readonly inclusive: boolean
}

/** A range of positions, open where an edge is missing. */
export interface Range {
  readonly start: Edge | undefined
  readonly end: Edge | undefined
}

/** The range of positions that a query selects, without its limit. */
export function rangeOf({ orderBy, start, end }: Query): Range {
  return { start: start && edgeOf(start, orderBy), end: end && edgeOf(end, orderBy) }
}

function edgeOf({ value, key, inclusive }: Bound, orderBy: Order): Edge {
  if (orderBy.kind === 'child') {
    return { ...sortValue(value), key: key === undefined ? undefined : sortKeyBound(key), inclusive }
  }
  const text = String(value)
  if (orderBy.lexicographic) return { kind: SortKind.string, value: text, key: undefined, inclusive }
  return { kind: SortKind.none, value: 0, key: sortKeyBound(text), inclusive }
}

/** Whether a position lies within a range. */
export function contains({ start, end }: Range, position: Position): boolean {
  return (start === undefined || isBehind(position, start, 1)) && (end === undefined || isBehind(position, end, -1))
}

/** @param direction 1 for after the edge, -1 for before it */
function isBehind(position: Position, edge: Edge, direction: 1 | -1): boolean {
  const order =
    direction *
    (compareSortValues(position, edge) || (edge.key === undefined ? 0 : compareText(position.key, edge.key)))
  return edge.inclusive ? order >= 0 : order > 0
}

/** Negative, zero or positive when `left` sorts before, at or after `right`. */
export function comparePositions(left: Position, right: Position): number {
  return compareSortValues(left, right) || compareText(left.key, right.key)
}

/** Position of a child. @param key encoded by `sortKey` */
export function positionOf(orderBy: Order, key: string, child: Value): Position {
  if (orderBy.kind === 'key') return keyPosition(orderBy.lexicographic, key)
  return { ...sortValue(valueAt(child, orderBy.path)), key }
}

/** Position of a key in one of the two orders of keys. */
export function keyPosition(lexicographic: boolean, key: string): Position {
  return lexicographic ? { kind: SortKind.string, value: keyOf(key), key } : { kind: SortKind.none, value: 0, key }
}
