import { type CalendarDate, DAY_MS, dateOf, daysOf } from './calendar.ts'
import { Zone } from './zone.ts'

const TEXT = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/
const RECEIPT_DATE = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?$/
const FIRST_YEAR = 1970
/** Receipts leave the century out; they are younger than 2000. */
const CENTURY = 2000
/** The last second of the year 9999, in local time. */
const LAST_LOCAL = 253_402_300_799_000

/** The times of carriers as they are written in one time zone. @see docs/reference/protocol.md#records */
export class ReceiveTime {
  readonly #zone: Zone
  /** The day printed last: most of a list are of the same one. */
  #day = Number.NaN
  #dayText = ''
  /** The moment printed last: carriers report many messages at once. */
  #last = Number.NaN
  #lastText = ''

  /**
   * @param zone `+08:00`, `-03:30`, `Z`, `UTC`, or a name of the IANA database such as `Asia/Shanghai`
   * @throws TypeError when there is no such zone
   */
  constructor(zone: string) {
    this.#zone = new Zone(zone)
  }

  /** Two of the same version give the same texts. */
  get version(): string {
    return this.#zone.version
  }

  /**
   * @param ms milliseconds since 1970
   * @returns `YYYY-MM-DD HH:MM:SS`, local; what lies outside of the years 1970 to 9999 as their first or last second
   */
  format(ms: number): string {
    if (ms === this.#last) return this.#lastText
    this.#last = ms
    this.#lastText = this.#print(ms)
    return this.#lastText
  }

  #print(ms: number): string {
    const near = Math.min(Math.max(ms, -DAY_MS), LAST_LOCAL + DAY_MS)
    const local = Math.min(Math.max(near + this.#zone.offsetAt(near), 0), LAST_LOCAL)
    const day = Math.floor(local / DAY_MS)
    const seconds = Math.floor((local - day * DAY_MS) / 1000)
    const minutes = Math.floor(seconds / 60)
    return `${this.#textOf(day)} ${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`
  }

  /**
   * @param text `YYYY-MM-DD HH:MM:SS`, local, 1970 to 9999. What a clock shows twice is the earlier moment; what it
   *   leaves out is reckoned as if it had not been put forward yet.
   * @returns milliseconds since 1970; `undefined` when it is no such text
   */
  parse(text: string): number | undefined {
    const match = TEXT.exec(text)
    return match === null ? undefined : this.#read(match, 0)
  }

  /** The same for dates of SMPP receipts: `YYMMDDhhmm` or `YYMMDDhhmmss`, 2000 to 2099. */
  parseReceiptDate(text: string): number | undefined {
    const match = RECEIPT_DATE.exec(text)
    return match === null ? undefined : this.#read(match, CENTURY)
  }

  /** @param match year, month, day, hour, minute and perhaps second */
  #read(match: RegExpExecArray, century: number): number | undefined {
    const date = { year: century + Number(match[1]), month: Number(match[2]), day: Number(match[3]) }
    const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6] ?? 0)]
    if (date.year < FIRST_YEAR || hour > 23 || minute > 59 || second > 59) return undefined
    const days = daysOf(date)
    return days === undefined ? undefined : this.#momentOf(days * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000)
  }

  /** When the clock shows a local time. */
  #momentOf(local: number): number {
    const before = this.#zone.offsetAt(local - DAY_MS)
    const after = this.#zone.offsetAt(local + DAY_MS)
    // Shown before the change, perhaps after it as well; or not at all.
    const isAfter = this.#zone.offsetAt(local - before) !== before && this.#zone.offsetAt(local - after) === after
    return local - (isAfter ? after : before)
  }

  #textOf(day: number): string {
    if (day !== this.#day) {
      this.#dayText = print(dateOf(day))
      this.#day = day
    }
    return this.#dayText
  }
}

/** The year has four digits as it is. */
function print({ year, month, day }: CalendarDate): string {
  return `${year}-${two(month)}-${two(day)}`
}

function two(number: number): string {
  return number < 10 ? `0${number}` : `${number}`
}
