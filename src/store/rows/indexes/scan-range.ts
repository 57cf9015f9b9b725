import type { Edge, Range } from '../../../query/range.ts'
import { FIRST_TEXT_KEY, NO_VALUE, SortKind, sortText } from '../../../tree/order.ts'
import { indexValue, isLong, type TextLimit } from './index-value.ts'

/** A value or key that a statement compares with. */
export type Argument = string | number

/**
 * How one end of a range compares: `value` compares kind and value, `key` compares the key as well. With `=` the range
 * includes its end.
 */
export type EdgeShape = 'open' | 'value' | 'value=' | 'key' | 'key='

/** One end of a scan. */
interface ScanEdge {
  readonly shape: EdgeShape
  readonly args: readonly Argument[]
}

/** Both ends of a scan along the rows of a list or the entries of an index. */
export interface ScanRange {
  readonly start: ScanEdge
  readonly end: ScanEdge
}

const OPEN: ScanEdge = { shape: 'open', args: [] }

/** All rows of a list or all entries of an index. */
export const WHOLE: ScanRange = { start: OPEN, end: OPEN }

/** The range of entries in an index. An edge as long as a cut text includes every entry that may equal it. */
export function indexRange({ start, end }: Range, limit: TextLimit): ScanRange {
  return { start: indexEdge(start, limit), end: indexEdge(end, limit) }
}

function indexEdge(edge: Edge | undefined, limit: TextLimit): ScanEdge {
  if (edge === undefined) return OPEN
  const entry = indexValue(edge, limit)
  const { kind, value } = entry
  if (isLong(entry, limit)) return { shape: 'value=', args: [kind, value] }
  if (edge.key === undefined) return { shape: edge.inclusive ? 'value=' : 'value', args: [kind, value] }
  return { shape: edge.inclusive ? 'key=' : 'key', args: [kind, value, edge.key] }
}

/** A range of an order in two parts: children without a value sort first and have no entries in the index. */
export interface DividedRange {
  /** Range of keys of the children without a value; `undefined` when the range has none. */
  readonly empty: ScanRange | undefined
  /** Range of the children with a value; `undefined` when the range has none. */
  readonly valued: Range | undefined
}

/** Divides a range of an index. */
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

/** Whether an edge without a value excludes every child without one. */
function leavesOut(edge: Edge | undefined): boolean {
  return edge !== undefined && edge.key === undefined && !edge.inclusive
}

const BEHIND_EMPTY: Edge = { ...NO_VALUE, key: undefined, inclusive: false }

/** Whether the range of entries may include children that the range itself excludes, because their texts were cut. */
export function mayMatchMore({ start, end }: Range, limit: TextLimit): boolean {
  return [start, end].some((edge) => edge !== undefined && isLong(indexValue(edge, limit), limit))
}

/** The range in key order. */
export function keyRange({ start, end }: Range): ScanRange {
  return { start: keyEdge(start), end: keyEdge(end) }
}

function keyEdge(edge: Edge | undefined): ScanEdge {
  if (edge?.key === undefined) return OPEN
  return { shape: edge.inclusive ? 'key=' : 'key', args: [edge.key] }
}

const FIRST_TEXT: ScanEdge = { shape: 'key=', args: [FIRST_TEXT_KEY] }

/** The range of keys that are not integers, in lexicographic order, which is also the order of the table. */
export function textKeyRange({ start, end }: Range): ScanRange {
  const first = textEdge(start)
  const tooEarly = first === OPEN || (first.args[0] ?? '') < FIRST_TEXT_KEY
  return { start: tooEarly ? FIRST_TEXT : first, end: textEdge(end) }
}

function textEdge(edge: Edge | undefined): ScanEdge {
  if (edge === undefined || edge.kind !== SortKind.string) return OPEN
  return { shape: edge.inclusive ? 'key=' : 'key', args: [sortText(String(edge.value))] }
}

/** The range of keys that are integers. */
export const INTEGER_KEYS: ScanRange = { start: OPEN, end: { shape: 'key', args: [FIRST_TEXT_KEY] } }

/** The rest of a range after a row, in the direction of the scan. */
export function behind(range: ScanRange, position: readonly Argument[], descending: boolean): ScanRange {
  return cutRange(range, { shape: 'key', args: position }, descending)
}

/** The rest of a range of keys from a key on, that key included. */
export function fromKey(range: ScanRange, key: string, descending: boolean): ScanRange {
  return cutRange(range, { shape: 'key=', args: [key] }, descending)
}

function cutRange(range: ScanRange, edge: ScanEdge, descending: boolean): ScanRange {
  return descending ? { start: range.start, end: edge } : { start: edge, end: range.end }
}
