import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { PushIds } from '../../../src/tree/push-id.ts'

/** The characters of a generated key that stand for its time. */
function timeOf(time: number): string {
  return new PushIds(time - 1).next(time).slice(0, 8)
}

test.each([
  [0, '--------'],
  [63, '-------z'],
  [64, '------0-'],
  [1492675740231, '-Ki9P386'],
  [1700000000000, '-NjEtLV-'],
] as const)('time %d is written %s', (time, text) => {
  expect(timeOf(time)).toBe(text)
})

describe('generated keys', () => {
  test('have twenty characters of the alphabet and begin with their time', () => {
    const id = new PushIds().next(1492675740231)
    expect(id).toMatch(/^-Ki9P386[-0-9A-Z_a-z]{12}$/)
  })

  test('differ in the random part from one generator to the next', () => {
    const ids = Array.from({ length: 100 }, () => new PushIds().next(1000).slice(8))
    expect(new Set(ids).size).toBe(100)
    // Every place is random: over a hundred keys none of them stands still.
    for (let place = 0; place < 12; place++) expect(new Set(ids.map((id) => id[place])).size).toBeGreaterThan(1)
  })

  test('count upwards within one millisecond', () => {
    const ids = new PushIds()
    const [first, second] = [ids.next(5), ids.next(5)]
    expect(second.slice(0, 8)).toBe(first.slice(0, 8))
    expect(Buffer.compare(Buffer.from(first), Buffer.from(second))).toBe(-1)
  })

  test('increase strictly whatever the clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 2 }), (clock) => {
        const ids = new PushIds()
        const issued = clock.map((now) => ids.next(now))
        expect(issued).toEqual(issued.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))))
        expect(new Set(issued).size).toBe(issued.length)
        expect(ids.lastTime).toBeGreaterThanOrEqual(Math.max(...clock))
      }),
    )
  })

  test('go on above those of an earlier process, even within its last millisecond', () => {
    const earlier = new PushIds()
    const last = earlier.next(1000)
    for (const now of [1000, 3]) {
      const next = new PushIds(earlier.lastTime).next(now)
      expect(next.slice(0, 8)).toBe(timeOf(1001))
      expect(next > last).toBe(true)
    }
  })
})

describe('the random part', () => {
  const original = crypto.getRandomValues

  /** Runs with the random source replaced: the only way to stand right before an overflow. */
  function withDigits<T>(digits: readonly number[], run: () => T): T {
    const fill = <A extends ArrayBufferView | null>(array: A): A => {
      if (array instanceof Uint8Array) array.set(digits)
      return array
    }
    crypto.getRandomValues = fill as typeof original
    try {
      return run()
    } finally {
      crypto.getRandomValues = original
    }
  }

  test.each([
    [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 63], '----------0-'],
    [[0, 0, 0, 0, 0, 0, 0, 0, 0, 62, 63, 63], '---------z--'],
    [[0, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63], '0-----------'],
  ] as const)('%j is followed by %s', (digits, next) => {
    withDigits(digits, () => {
      const ids = new PushIds()
      ids.next(64)
      expect(ids.next(64)).toBe(`------0-${next}`)
    })
  })

  test('moves the time on by one when it overflows', () => {
    withDigits(new Array<number>(12).fill(63), () => {
      const ids = new PushIds()
      expect(ids.next(64)).toBe('------0-zzzzzzzzzzzz')
      expect(ids.next(64)).toBe('------00zzzzzzzzzzzz')
      expect(ids.lastTime).toBe(65)
    })
  })
})
