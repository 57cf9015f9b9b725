import { DAY_MS } from '../format/calendar.ts'

/** Sequence numbers per millisecond; further states take the numbers of the next millisecond. */
const PER_MS = 1024
/** Time for which a final state is offered to clients. */
const OFFERED_MS = DAY_MS

/** Sequence numbers from `first` to `last`, both included. */
export interface SeqRange {
  readonly first: number
  readonly last: number
}

/** First sequence number of a millisecond. */
export function seqOf(ms: number): number {
  return ms * PER_MS
}

/**
 * Sequence number of the next final state. Numbers only increase, also while the clock is set back.
 * @param last greatest one ever used
 */
export function nextSeq(last: number, now: number): number {
  return Math.max(seqOf(now), last + 1)
}

/** First sequence number that is not too old to be offered. */
export function firstOffered(now: number): number {
  return seqOf(now - OFFERED_MS + 1)
}

/** Whether a state that became final at `producedAt` is still offered. */
export function isOffered(producedAt: number, now: number): boolean {
  return now - producedAt < OFFERED_MS
}

/** The same numbers in as few ranges as possible, in order. */
export function joinRanges(ranges: readonly SeqRange[]): SeqRange[] {
  const joined: SeqRange[] = []
  for (const { first, last } of sortRanges(ranges)) {
    const before = joined.at(-1)
    if (before !== undefined && before.last + 1 >= first)
      joined[joined.length - 1] = { first: before.first, last: Math.max(before.last, last) }
    else joined.push({ first, last })
  }
  return joined
}

export function sortRanges(ranges: readonly SeqRange[]): readonly SeqRange[] {
  return ranges.toSorted((left, right) => left.first - right.first)
}
