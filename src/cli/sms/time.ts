import { shown } from '../terminal/shown.ts'

/** ISO 8601 in UTC; years of more than four digits as `Date` prints them. */
const ISO = /^((?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?Z$/
const MILLISECONDS = /^\d{1,16}$/
/** Form of responses, in the time zone of the application. */
const LOCAL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
/** Latest time of `Date`. */
const LAST = 8.64e15
const EXPECTED = 'a time such as 2026-11-21T10:00:00.000Z, or milliseconds since 1970'

/** A time in an export, such as `2026-11-21T10:00:00.000Z`. @param time milliseconds since 1970 */
export function isoOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString()
}

/** Parses a time of a file; `undefined` for an empty cell. @throws Error with the expected form */
export function readTime(value: unknown): number | undefined {
  if (value === undefined) return undefined
  const time = timeOf(value)
  if (time === undefined) throw new Error(`expected ${EXPECTED}, found ${shown(value)}`)
  return time
}

/** As `readTime`; returns `YYYY-MM-DD HH:MM:SS` unchanged: its time zone is that of the application. */
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
  // `Date.parse` accepts dates that do not exist.
  return !Number.isNaN(time) && isoOf(time) === exact ? time : undefined
}
