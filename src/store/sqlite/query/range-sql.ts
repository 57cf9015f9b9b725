import type { Edge, Range } from '../../../query/range.ts'
import { FIRST_TEXT_KEY, NO_VALUE, SortKind, sortText } from '../../../tree/order.ts'
import { indexValue, isLong } from '../indexes/index-value.ts'
import type { EdgeShape } from './query-sql.ts'

/** A value or key as it is compared in SQL. */
export type Argument = string | number

/** One end of a range as a statement takes it. */
interface SqlEdge {
  readonly shape: EdgeShape
  readonly args: readonly Argument[]
}

export interface SqlRange {
  readonly start: SqlEdge
  readonly end: SqlEdge
}

const OPEN: SqlEdge = { shape: 'open', args: [] }

/** The range in an index. An edge as long as a text that was cut takes in all entries that it may be equal to. */
export function indexRange({ start, end }: Range): SqlRange {
  return { start: indexEdge(start), end: indexEdge(end) }
}

function indexEdge(edge: Edge | undefined): SqlEdge {
  if (edge === undefined) return OPEN
  const entry = indexValue(edge)
  const { kind, value } = entry
  if (isLong(entry)) return { shape: 'value=', args: [kind, value] }
  if (edge.key === undefined) return { shape: edge.inclusive ? 'value=' : 'value', args: [kind, value] }
  return { shape: edge.inclusive ? 'key=' : 'key', args: [kind, value, edge.key] }
}

/** A range in an index, divided: children without a value come first in it, and have no rows there. */
export interface DividedRange {
  /** The children without a value: a range of their keys; `undefined` where none belong to it. */
  readonly empty: SqlRange | undefined
  /** Those with a value; `undefined` where none belong to it. */
  readonly valued: Range | undefined
}

/** Divides a range in an index. */
export function divide(range: Range): DividedRange {
  const { start, end } = range
  const startsAtValue = start !== undefined && start.kind !== SortKind.none
  const endsAtEmpty = end !== undefined && end.kind === SortKind.none
  const isEmptyLeftOut = startsAtValue || leavesOut(start) || (endsAtEmpty && leavesOut(end))
  return {
    empty: isEmptyLeftOut ? undefined : keyRange({ start, end: endsAtEmpty ? end : undefined }),
    valued: endsAtEmpty ? undefined : { start: startsAtValue ? start : BEHIND_EMPTY, end },
  }
}

/** Whether an edge at no value leaves out all children without one. */
function leavesOut(edge: Edge | undefined): boolean {
  return edge !== undefined && edge.key === undefined && !edge.inclusive
}

const BEHIND_EMPTY: Edge = { ...NO_VALUE, key: undefined, inclusive: false }

/** Whether a range in an index may take in more than it should. */
export function mayMatchMore({ start, end }: Range): boolean {
  return [start, end].some((edge) => edge !== undefined && isLong(indexValue(edge)))
}

/** The range in key order. */
export function keyRange({ start, end }: Range): SqlRange {
  return { start: keyEdge(start), end: keyEdge(end) }
}

function keyEdge(edge: Edge | undefined): SqlEdge {
  if (edge?.key === undefined) return OPEN
  return { shape: edge.inclusive ? 'key=' : 'key', args: [edge.key] }
}

const FIRST_TEXT: SqlEdge = { shape: 'key=', args: [FIRST_TEXT_KEY] }

/** The range of keys that are no integers, in the order of their text, which is also that of the table. */
export function textKeyRange({ start, end }: Range): SqlRange {
  const first = textEdge(start)
  const tooEarly = first === OPEN || (first.args[0] ?? '') < FIRST_TEXT_KEY
  return { start: tooEarly ? FIRST_TEXT : first, end: textEdge(end) }
}

function textEdge(edge: Edge | undefined): SqlEdge {
  if (edge === undefined || edge.kind !== SortKind.string) return OPEN
  return { shape: edge.inclusive ? 'key=' : 'key', args: [sortText(String(edge.value))] }
}

/** The range of keys that are integers. */
export const INTEGER_KEYS: SqlRange = { start: OPEN, end: { shape: 'key', args: [FIRST_TEXT_KEY] } }

/** What follows a row, on the way to the other end. */
export function behind(range: SqlRange, position: readonly Argument[], descending: boolean): SqlRange {
  const edge: SqlEdge = { shape: 'key', args: position }
  return descending ? { start: range.start, end: edge } : { start: edge, end: range.end }
}
