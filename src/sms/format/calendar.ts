export const DAY_MS = 86_400_000

/** Days of the year before each month, in a year that is no leap year; the thirteenth is the whole year. */
const BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365] as const
const FEBRUARY = 2
/** Leap days from the year 1 to the end of 1969. */
const LEAP_DAYS_BEFORE_1970 = 477

/** A day of the Gregorian calendar. */
export interface CalendarDate {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
}

/** Days since 1970-01-01; `undefined` when the calendar has no such day. */
export function daysOf({ year, month, day }: CalendarDate): number | undefined {
  if (month < 1 || month > 12 || day < 1) return undefined
  const first = daysBeforeMonth(year, month)
  return day > daysBeforeMonth(year, month + 1) - first ? undefined : daysBeforeYear(year) + first + day - 1
}

/** The date so many days after 1970-01-01. */
export function dateOf(days: number): CalendarDate {
  let year = 1970 + Math.floor(days / 365.2425)
  // The mean length of a year misses by at most a year.
  if (daysBeforeYear(year) > days) year--
  else if (daysBeforeYear(year + 1) <= days) year++
  const dayOfYear = days - daysBeforeYear(year)
  let month = 1
  while (daysBeforeMonth(year, month + 1) <= dayOfYear) month++
  return { year, month, day: dayOfYear - daysBeforeMonth(year, month) + 1 }
}

/** Days from 1970-01-01 to the first day of a year. */
function daysBeforeYear(year: number): number {
  const past = year - 1
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400)
  return 365 * (year - 1970) + leapDays - LEAP_DAYS_BEFORE_1970
}

/** Days from the first day of a year to that of a month of it; month 13 is the next year. */
function daysBeforeMonth(year: number, month: number): number {
  return (BEFORE_MONTH[month - 1] ?? 0) + (month > FEBRUARY && isLeapYear(year) ? 1 : 0)
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}
