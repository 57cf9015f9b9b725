import { DAY_MS } from './calendar.ts'

const FIXED = /^([+-])([01]\d|2[0-3]):([0-5]\d)$/
const UTC_NAMES: ReadonlySet<string> = new Set(['Z', 'UTC'])
/** Days whose offset is kept: nearly three years, at some hundred bytes a day. */
const MAX_DAYS = 1024

/** Version of the runtime's data about named zones. */
const ZONE_DATA = process.versions['icu'] ?? Bun.version

/** The offset during one day of UTC: clocks are never put forward or back twice within a day. */
interface OffsetOfDay {
  readonly before: number
  /** In milliseconds since 1970; infinite on an ordinary day. */
  readonly changesAt: number
  readonly after: number
}

/** Offset of local time from UTC. */
export class Zone {
  /** Two zones of the same version have the same offsets. The rules of a named zone change with the data of the runtime. */
  readonly version: string
  readonly #fixed: number | undefined
  readonly #clock: Intl.DateTimeFormat | undefined
  /** By days since 1970. Asking the clock takes a thousand times as long as looking here. */
  readonly #days = new Map<number, OffsetOfDay>()

  /**
   * @param name `+08:00`, `-03:30`, `Z`, `UTC`, or a name of the IANA database such as `Asia/Shanghai`
   * @throws TypeError when there is no such zone
   */
  constructor(name: string) {
    this.#fixed = fixedOffset(name)
    if (this.#fixed === undefined) this.#clock = clockOf(name)
    this.version = this.#fixed === undefined ? `${name} ${ZONE_DATA}` : name
  }

  /** @param ms milliseconds since 1970 @returns milliseconds to add for the local time */
  offsetAt(ms: number): number {
    if (this.#fixed !== undefined) return this.#fixed
    const day = Math.floor(ms / DAY_MS)
    const { before, changesAt, after } = this.#days.get(day) ?? this.#look(day)
    return ms < changesAt ? before : after
  }

  #look(day: number): OffsetOfDay {
    const start = day * DAY_MS
    const before = this.#ask(start)
    const after = this.#ask(start + DAY_MS)
    const changesAt = before === after ? Number.POSITIVE_INFINITY : this.#change(start, before)
    const found = { before, changesAt, after }
    const [oldest] = this.#days.keys()
    if (this.#days.size >= MAX_DAYS && oldest !== undefined) this.#days.delete(oldest)
    this.#days.set(day, found)
    return found
  }

  /** The second of a day at which its first offset ends. */
  #change(start: number, before: number): number {
    let still = 0
    let over = DAY_MS / 1000
    while (over - still > 1) {
      const middle = Math.floor((still + over) / 2)
      if (this.#ask(start + middle * 1000) === before) still = middle
      else over = middle
    }
    return start + over * 1000
  }

  /** @param ms a whole second */
  #ask(ms: number): number {
    const shown = new Map(this.#clock?.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
    const part = (type: Intl.DateTimeFormatPartTypes) => shown.get(type) ?? 0
    const local = [part('month') - 1, part('day'), part('hour'), part('minute'), part('second')] as const
    return Date.UTC(part('year'), ...local) - ms
  }
}

function fixedOffset(name: string): number | undefined {
  if (UTC_NAMES.has(name)) return 0
  const [, sign, hours, minutes] = FIXED.exec(name) ?? []
  if (sign === undefined) return undefined
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === '-' ? -offset : offset
}

/** @throws TypeError */
function clockOf(name: string): Intl.DateTimeFormat {
  // Other ways to write an offset are left out: one zone has one name here.
  if (/^[+-]/.test(name)) throw unknownZone(name)
  try {
    return new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    throw unknownZone(name)
  }
}

function unknownZone(name: string): TypeError {
  return new TypeError(`${JSON.stringify(name)} is no time zone; expected one like +08:00, UTC or Europe/Berlin`)
}
