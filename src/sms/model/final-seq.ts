import { DAY_MS } from '../format/calendar.ts'

/** Numbers for the final states that become known in one millisecond; more of them take those of the next. */
const PER_MS = 1024
/** Final states are handed over for so long. */
const OFFERED_MS = DAY_MS

/** The first number for a moment. */
export function seqOf(ms: number): number {
  return ms * PER_MS
}

/** The first number of those that are not too old to be handed over. */
export function firstOffered(now: number): number {
  return seqOf(now - OFFERED_MS + 1)
}

/** Whether a final state that became known then is still handed over. */
export function isOffered(producedAt: number, now: number): boolean {
  return now - producedAt < OFFERED_MS
}
