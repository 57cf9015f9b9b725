import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ReceiveTime } from '../../../src/sms/format/receive-time.ts'
import zones from './zones.json'

const FIRST = 0
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59)
const DAY_MS = 86_400_000
const NAMES = [
  ...new Set([...zones.shown, ...zones.twice, ...zones.never].map(([zone = '']) => zone)),
  'America/St_Johns',
  'America/Sao_Paulo',
  'Antarctica/Troll',
  'Asia/Pyongyang',
  'Asia/Tehran',
  'Europe/Dublin',
  'Pacific/Chatham',
]

const texts = new Map(NAMES.map((zone) => [zone, new ReceiveTime(zone)]))
const clocks = new Map(NAMES.filter((zone) => zone !== 'Z').map((zone) => [zone, clockOf(zone)]))
const someZone = fc.constantFrom(...clocks.keys())

/** Swedish writes dates and times as carriers do; short ones only for years of four digits. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
}

function moment(from: number, to: number): fc.Arbitrary<number> {
  return fc.integer({ min: from, max: to })
}

test.each(zones.shown)('%s: %s is %s', (zone = '', utc = '', text = '') => {
  const time = new ReceiveTime(zone)
  expect(time.format(Date.parse(utc))).toBe(text)
  expect(time.format(Date.parse(utc) + 999)).toBe(text)
})

test.each(zones.twice)('%s: %s is shown twice, first at %s', (zone = '', text = '', utc = '') => {
  const time = new ReceiveTime(zone)
  expect(time.parse(text)).toBe(Date.parse(utc))
  expect(time.format(Date.parse(utc))).toBe(text)
})

test.each(zones.never)('%s: %s is never shown and is taken for %s', (zone = '', text = '', shown = '') => {
  const time = new ReceiveTime(zone)
  expect(time.format(time.parse(text) ?? 0)).toBe(shown)
})

test.each(zones.wrong)('%j is no time', (text) => {
  for (const time of texts.values()) expect(time.parse(text)).toBeUndefined()
})

test.each(['1970-01-01 00:00:00', '2024-02-29 12:34:56', '2000-02-29 00:00:00', '9999-12-31 23:59:59'])(
  '%s reads and prints the same in every zone',
  (text) => {
    for (const time of texts.values()) expect(time.format(time.parse(text) ?? Number.NaN)).toBe(text)
  },
)

test.each([
  ['1704201609', '2017-04-20 16:09:00'],
  ['170420160905', '2017-04-20 16:09:05'],
  ['0002290000', '2000-02-29 00:00:00'],
  ['9912312359', '2099-12-31 23:59:00'],
  ['240331023000', '2024-03-31 02:30:00'],
] as const)('the date %s of a receipt is %s', (date, text) => {
  for (const time of texts.values()) expect(time.parseReceiptDate(date)).toBe(time.parse(text) ?? Number.NaN)
})

test.each([
  '',
  '17042016',
  '17042016090',
  '1704201609055',
  '1702291609',
  '1713011609',
  '1700201609',
  '1704202409',
  '1704201660',
  '170420160960',
  '0000000000',
  '2017-04-20',
  '1704201609 ',
])('%j is no date of a receipt', (date) => {
  expect(new ReceiveTime('+08:00').parseReceiptDate(date)).toBeUndefined()
})

test.each([
  ['before the first year', -1e15, '1970-01-01 00:00:00'],
  ['after the last one', 1e15, '9999-12-31 23:59:59'],
  ['after all dates', Number.MAX_VALUE, '9999-12-31 23:59:59'],
  ['endless', Number.POSITIVE_INFINITY, '9999-12-31 23:59:59'],
])('a moment %s is shown as the nearest one', (_, ms, text) => {
  for (const time of texts.values()) expect(time.format(ms)).toBe(text)
})

test.each([
  '',
  ' ',
  'Foo/Bar',
  'CST',
  'local',
  '+8',
  '+8:00',
  '+08',
  '+0800',
  '08:00',
  '+24:00',
  '+08:60',
  '+08:00:00',
  'z',
])('%j is no zone', (zone) => {
  expect(() => new ReceiveTime(zone)).toThrow(TypeError)
})

describe('for any moment', () => {
  test('shows what the clock of the place shows', () => {
    fc.assert(
      fc.property(someZone, moment(DAY_MS, LAST - DAY_MS), (zone, ms) => {
        expect(texts.get(zone)?.format(ms)).toBe(clocks.get(zone)?.format(ms) ?? '')
      }),
      { numRuns: 1000 },
    )
  })

  test('reads what it has shown, unless the clock shows that twice', () => {
    fc.assert(
      fc.property(someZone, moment(FIRST + DAY_MS, LAST - DAY_MS), (zone, ms) => {
        const time = new ReceiveTime(zone)
        const text = time.format(ms)
        const second = Math.floor(ms / 1000) * 1000
        const read = time.parse(text) ?? Number.NaN
        expect(time.format(read)).toBe(text)
        // Shown twice: the earlier moment, less than a day before.
        if (read !== second) expect([read < second, second - read < DAY_MS]).toEqual([true, true])
      }),
      { numRuns: 1000 },
    )
  })
})

describe('every change of the clocks', () => {
  /** Moments at which the offset of a zone changes between two years, found by asking the clock once a day. */
  function changesOf(zone: string): number[] {
    const clock = clocks.get(zone)
    const offsetAt = (ms: number) => Date.parse(`${clock?.format(ms).replace(' ', 'T')}Z`) - ms
    const changes: number[] = []
    for (let day = Date.UTC(1970, 0, 2); day < Date.UTC(2038, 0, 1); day += DAY_MS) {
      if (offsetAt(day) === offsetAt(day + DAY_MS)) continue
      let [still, over] = [day, day + DAY_MS]
      while (over - still > 1000) {
        const middle = Math.floor((still + over) / 2000) * 1000
        if (offsetAt(middle) === offsetAt(day)) still = middle
        else over = middle
      }
      changes.push(over)
    }
    return changes
  }

  const changing = [...clocks.keys()].filter((zone) => changesOf(zone).length > 0)

  test.each(changing)('in %s', (zone) => {
    const [time, clock] = [texts.get(zone), clocks.get(zone)]
    for (const change of changesOf(zone)) {
      for (const ms of [change - 3_600_000, change - 1000, change - 1, change, change + 1000, change + 3_600_000]) {
        const text = clock?.format(ms) ?? ''
        expect(time?.format(ms)).toBe(text)
        const read = time?.parse(text) ?? Number.NaN
        expect(clock?.format(read)).toBe(text)
        expect(read).toBeLessThanOrEqual(ms)
      }
    }
  })
})

test('days of a zone stay right when they are forgotten and looked up again', () => {
  const [time, clock] = [new ReceiveTime('Europe/Berlin'), clocks.get('Europe/Berlin')]
  for (const round of [0, 1]) {
    for (let day = round; day < 3000; day++) {
      const ms = Date.UTC(2015, 0, 1) + day * DAY_MS
      expect(time.format(ms)).toBe(clock?.format(ms) ?? '')
    }
  }
})
