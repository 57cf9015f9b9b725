import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Measurement, ratios, runRounds, Samples, type Step, spread } from '../../bench/harness/rounds.ts'

describe('the spread of what was measured', () => {
  const cases: readonly (readonly [values: number[], median: number, min: number, max: number])[] = [
    [[7], 7, 7, 7],
    [[9, 1], 5, 1, 9],
    [[3, 1, 2], 2, 1, 3],
    [[10, 9, 1, 2], 5.5, 1, 10],
    // As numbers, not as texts.
    [[100, 20, 3], 20, 3, 100],
    [[-1, -3, 0.5], -1, -3, 0.5],
  ]
  for (const [values, median, min, max] of cases) {
    test(`of ${values.join(', ')}`, () => expect(spread(values)).toEqual({ median, min, max }))
  }

  test('of nothing is no number', () => {
    expect(spread([])).toEqual({ median: Number.NaN, min: Number.NaN, max: Number.NaN })
  })

  // Nothing measured is -0, which sorts beside 0 and is not equal to it.
  const measured = fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((value) => value + 0)
  const values = fc.array(measured, { minLength: 1 })

  test('has as many values on either side of the median, and none beyond its ends', () => {
    fc.assert(
      fc.property(values, (all) => {
        const { median, min, max } = spread(all)
        const below = all.filter((value) => value < median).length
        const above = all.filter((value) => value > median).length
        expect(Math.max(below, above)).toBeLessThanOrEqual(all.length / 2)
        expect([min, max]).toEqual([Math.min(...all), Math.max(...all)])
      }),
    )
  })

  test('does not depend on the order, and leaves it as it was', () => {
    fc.assert(
      fc.property(values, (all) => {
        const before = [...all]
        expect(spread(all.toReversed())).toEqual(spread(all))
        expect(all).toEqual(before)
      }),
    )
  })
})

describe('ratios', () => {
  test('are those of the same round', () => {
    expect(ratios([10, 9, 8], [5, 3, 2])).toEqual([2, 3, 4])
  })

  test('are no numbers where a side was not measured', () => {
    expect(ratios([10, 9], [5])).toEqual([2, Number.NaN])
  })

  test('of the one over the other are those of the other over the one, turned over', () => {
    const figures = fc.array(fc.tuple(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 10_000 })))
    fc.assert(
      fc.property(figures, (rounds) => {
        const [ours, theirs] = [rounds.map(([value]) => value), rounds.map(([, value]) => value)]
        const there = ratios(ours, theirs)
        const back = ratios(theirs, ours)
        expect(there).toHaveLength(rounds.length)
        for (const [round, ratio] of there.entries()) expect(ratio * (back[round] ?? 0)).toBeCloseTo(1)
      }),
    )
  })
})

describe('samples', () => {
  test('are kept by variant and figure, round by round', () => {
    const samples = new Samples()
    samples.add('ours', { us: 3, ms: 30 })
    samples.add('theirs', { us: 5, ms: 50 })
    samples.add('ours', { us: 1, ms: 10 })
    expect(samples.get('ours', 'us')).toEqual([3, 1])
    expect(samples.get('theirs', 'ms')).toEqual([50])
  })

  const measured = new Samples()
  measured.add('ours', { us: 3 })
  measured.add('ours', {})
  const missing: readonly (readonly [title: string, variant: string, figure: string])[] = [
    ['a variant that was not measured', 'theirs', 'us'],
    ['a figure that was not measured', 'ours', 'ms'],
    ['a figure that one of the rounds does not have', 'ours', 'us'],
  ]
  for (const [title, variant, figure] of missing) {
    test(`refuse ${title}`, () => {
      expect(() => measured.get(variant, figure)).toThrow(`${figure} of ${variant} was not measured`)
    })
  }
})

describe('rounds', () => {
  function logged() {
    const log: string[] = []
    const ran = (name: string) => {
      log.push(name)
      return { at: log.length }
    }
    const measurements: Measurement[] = [
      { name: 'first', run: async () => ran('first') },
      { name: 'both', compete: async () => ({ ours: ran('ours'), theirs: ran('theirs') }) },
      { name: 'last', run: async () => ran('last') },
    ]
    return { log, measurements }
  }

  test('turn their order round each time', async () => {
    const { log, measurements } = logged()
    await runRounds(measurements, 3, () => {})
    const there = ['first', 'ours', 'theirs', 'last']
    const back = ['last', 'ours', 'theirs', 'first']
    expect(log).toEqual([...there, ...back, ...there])
  })

  test('keep what each of those who are compared has measured', async () => {
    const { measurements } = logged()
    const samples = await runRounds(measurements, 2, () => {})
    expect(samples.get('first', 'at')).toEqual([1, 8])
    expect(samples.get('ours', 'at')).toEqual([2, 6])
    expect(samples.get('theirs', 'at')).toEqual([3, 7])
  })

  test('tell of each measurement before it begins', async () => {
    const { log, measurements } = logged()
    const steps: (Step & { readonly before: number })[] = []
    await runRounds(measurements, 2, (step) => steps.push({ ...step, before: log.length }))
    expect(steps).toEqual([
      { name: 'first', number: 1, of: 6, before: 0 },
      { name: 'both', number: 2, of: 6, before: 1 },
      { name: 'last', number: 3, of: 6, before: 3 },
      { name: 'last', number: 4, of: 6, before: 4 },
      { name: 'both', number: 5, of: 6, before: 5 },
      { name: 'first', number: 6, of: 6, before: 7 },
    ])
  })
})
