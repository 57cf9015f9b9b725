import { describe, expect, test } from 'bun:test'
import { ScrollRange } from '../../console/src/tree/view/scroll-range.ts'

const VIEW = 600
const ROW = 28

describe('the range of a list that is scrolled', () => {
  test('a list that fits into a box is the box', () => {
    const range = new ScrollRange(500_000 * ROW, VIEW)
    expect(range).toMatchObject({ boxLength: 500_000 * ROW, isExact: true })
    for (const at of [0, 1, 7_000_000, 500_000 * ROW - VIEW])
      expect([range.ofBox(at), range.ofList(at)]).toEqual([at, at])
    expect(new ScrollRange(100, VIEW).ofBox(0)).toBe(0)
  })

  test.each([1_000_000, 10_000_000])('of %d rows the first, the last and any other can be reached', (rows) => {
    const length = rows * ROW
    const range = new ScrollRange(length, VIEW)
    expect(range).toMatchObject({ boxLength: 15_000_000, isExact: false })
    expect([range.ofBox(0), range.ofBox(15_000_000 - VIEW)]).toEqual([0, length - VIEW])
    // At both ends a pixel is a pixel.
    for (const at of [1, 2_999_999]) {
      expect(range.ofBox(at)).toBe(at)
      expect(range.ofBox(15_000_000 - VIEW - at)).toBe(length - VIEW - at)
    }
    for (let row = 0; row < rows; row += 9973) {
      const box = range.ofList(row * ROW)
      expect(box).toBeLessThanOrEqual(15_000_000 - VIEW)
      expect(Math.abs(range.ofBox(box) - Math.min(row * ROW, length - VIEW))).toBeLessThan(0.01)
    }
    expect([range.inside(-1), range.inside(length)]).toEqual([0, length - VIEW])
  })
})
