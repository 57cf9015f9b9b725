import { shown } from '../terminal/shown.ts'

/** Of the whole text; years beyond four digits as `Date` prints them. */
const ISO = /^((?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?Z$/
const MILLISECONDS = /^\d{1,16}$/
/** The form of answers, in the zone of the application. */
const LOCAL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
/** Greatest time that has a date. */
const LAST = 8.64e15
const EXPECTED = 'a time such as 2026-11-21T10:00:00.000Z, or milliseconds since 1970'

/** A time as an export has it, such as `2026-11-21T10:00:00.000Z`. @param time milliseconds since 1970 */
export function isoOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString()
}

/** Milliseconds since 1970 of a time in a file; `undefined` when it has none. @throws Error that says what is expected */
export function readTime(value: unknown): number | undefined {
  if (value === undefined) return undefined
  const time = timeOf(value)
  if (time === undefined) throw new Error(`expected ${EXPECTED}, found ${shown(value)}`)
  return time
}

/** As `readTime`; a text of the form `YYYY-MM-DD HH:MM:SS` is left to whoever knows the zone. */
export function readReceiveTime(value: unknown): number | string | undefined {
  if (typeof value === 'string' && LOCAL.test(value)) return value
  const time = value === undefined ? undefined : timeOf(value)
  if (time !== undefined || value === undefined) return time
  throw new Error(`expected ${EXPECTED}, or YYYY-MM-DD HH:MM:SS, found ${shown(value)}`)
}

function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value <= LAST ? value : undefined
  if (typeof value !== 'string') return undefined
  if (MILLISECONDS.test(value)) return timeOf(Number(value))
  const [, seconds, fraction = ''] = ISO.exec(value) ?? []
  if (seconds === undefined) return undefined
  const exact = `${seconds}.${fraction.padEnd(3, '0')}Z`
  const time = Date.parse(exact)
  // A date that there is not would be taken for another one.
  return !Number.isNaN(time) && isoOf(time) === exact ? time : undefined
}
