import { describe, expect, test } from 'bun:test'
import { longTest } from '../../support/lane.ts'
import { type Bounds, judge, median, type Rest } from './judge.ts'
import { Pace } from './pace.ts'
import { Random, randomFor } from './random.ts'
import type { Sample } from './sample.ts'
import { soak } from './soak.ts'

const MIB = 1024 * 1024
const BOUNDS: Bounds = { warmSeconds: 10, memoryShare: 0.05, walBytes: 100 * MIB }
const TREE = '/data/apps/a.sqlite'
const REST: Rest = { descriptors: ['socket', 'socket', TREE], threads: 8 }

/** What a process that is well shows, one sample a second, but for what is doctored. */
function series(doctor: (at: number) => Partial<Sample> = () => ({})): Sample[] {
  return Array.from({ length: 50 }, (_, at) => ({
    at,
    isLoaded: true,
    // A saw, as collections make it, and a warm-up that grows.
    rssBytes: (at < 10 ? 100 + 10 * at : 200 + (at % 7)) * MIB,
    anonymousBytes: 150 * MIB,
    heapBytes: (50 + (at % 5)) * MIB,
    descriptors: 100,
    threads: 9,
    fileBytes: (40 + (at % 3)) * MIB,
    walBytes: (20 + (at % 3)) * MIB,
    ...doctor(at),
  }))
}

function problemsOf(samples: readonly Sample[], after: Rest = REST): readonly string[] {
  return judge({ samples, rests: [REST, after] }, BOUNDS).problems
}

describe('a judgement', () => {
  test('of a process that is well', () => {
    expect(problemsOf(series())).toEqual([])
  })

  test.each<[string, RegExp, (at: number) => Partial<Sample>]>([
    ['memory that creeps', /memory/, (at) => ({ rssBytes: (200 + at) * MIB })],
    ['memory that steps up late', /memory/, (at) => ({ rssBytes: (at < 35 ? 200 : 215) * MIB })],
    ['memory that had not settled', /memory/, (at) => ({ rssBytes: (at < 30 ? 300 : 200) * MIB })],
    ['memory that cannot be read', /memory/, () => ({ rssBytes: Number.NaN })],
    ['files that grow', /files/, (at) => ({ fileBytes: (40 + at) * MIB })],
    ['logs that grow', /logs/, (at) => ({ walBytes: 4 * at * MIB })],
  ])('of %s', (_, problem, doctor) => {
    const problems = problemsOf(series(doctor))
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(problem)
  })

  test.each<[string, RegExp, Rest]>([
    [
      'a descriptor more',
      /^3 descriptors at rest became 4 \+socket$/,
      { ...REST, descriptors: ['socket', ...REST.descriptors] },
    ],
    [
      'ever more connections to a tree',
      /became 8( \+\/data\/apps\/a.sqlite){5}$/,
      { ...REST, descriptors: [...REST.descriptors, ...Array<string>(5).fill(TREE)] },
    ],
    ['threads beyond those of the warm-up', /threads/, { ...REST, threads: 14 }],
  ])('of %s at rest', (_, problem, after) => {
    const problems = problemsOf(series(), after)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(problem)
  })

  test('takes a few more connections to a tree', () => {
    const after = { ...REST, descriptors: [...REST.descriptors, TREE, `${TREE}-wal`] }
    expect(problemsOf(series(), after)).toEqual([])
  })

  test('takes fewer descriptors', () => {
    expect(problemsOf(series(), { ...REST, descriptors: ['socket', TREE] })).toEqual([])
  })

  test('looks neither at the warm-up nor at what was taken at rest', () => {
    expect(problemsOf(series((at) => (at < 10 ? { rssBytes: 900 * MIB } : {})))).toEqual([])
    expect(problemsOf(series((at) => (at > 40 ? { rssBytes: MIB, isLoaded: false } : {})))).toEqual([])
  })

  test('needs something to look at', () => {
    expect(() => judge({ samples: series().slice(0, 12), rests: [REST, REST] }, BOUNDS)).toThrow('too few')
  })

  test.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
  ])('the median of %p', (values, middle) => {
    expect(median(values)).toBe(middle)
  })
})

describe('numbers that look random', () => {
  test('come again for a seed, and are others for another one, and for another name', () => {
    const numbers = (random: Random) => Array.from({ length: 20 }, () => random.below(1000))
    expect(numbers(new Random(7))).toEqual(numbers(new Random(7)))
    expect(numbers(new Random(7))).not.toEqual(numbers(new Random(8)))
    expect(numbers(randomFor(7, 'a'))).toEqual(numbers(randomFor(7, 'a')))
    expect(numbers(randomFor(7, 'a'))).not.toEqual(numbers(randomFor(7, 'b')))
  })
})

test('a pace does what is due, tells what fails, and waits for what is under way', async () => {
  const late = Promise.withResolvers<void>()
  const done: string[] = []
  const run = async (name: string) => void done.push(name)
  const pace = new Pace(
    [
      { name: 'often', perDay: 20, most: 100, run: () => run('often') },
      { name: 'seldom', perDay: 5, most: 100, run: () => run('seldom') },
      { name: 'bad', perDay: 2, most: 1, run: () => Promise.reject(new Error('no')) },
      { name: 'late', perDay: 10, most: 1, run: () => late.promise },
    ],
    // A day in half a second.
    2 * 24 * 60 * 60,
  )
  const working = pace.work(0.5)
  while (done.length < 25) await new Promise(setImmediate)
  late.resolve()
  await working
  expect(done.filter((name) => name === 'often')).toHaveLength(20)
  expect(pace.tally.done.get('seldom')).toBe(5)
  expect(pace.tally.failures).toEqual(['bad: Error: no', 'bad: Error: no'])
})

longTest(
  'a short soak: samples are taken, everything is done at least once, streams hold what GET answers',
  async () => {
    const { samples, tally, requests, problems, judgement } = await soak({
      seed: 1,
      seconds: 4,
      speed: 40,
      sampleSeconds: 0.2,
      steadyMs: 500,
      // A machine that is busy with other tests makes requests slow.
      slowRequestMs: 0,
    })
    expect(tally.failures).toEqual([])
    expect(requests).toBeGreaterThan(100)
    for (const name of [
      'read',
      'write',
      'stream opened',
      'token shown',
      'application visited',
      'batch of text messages',
    ]) {
      expect([name, tally.done.get(name) ?? 0]).not.toEqual([name, 0])
    }
    expect(samples.length).toBeGreaterThan(8)
    for (const sample of samples) {
      expect(sample.rssBytes).toBeGreaterThan(10 * MIB)
      expect(sample.descriptors).toBeGreaterThan(10)
      expect(sample.fileBytes).toBeGreaterThan(sample.walBytes)
    }
    expect(judgement.heap?.first).toBeGreaterThan(MIB)
    // So short a run is all warm-up: what it says of memory, files and descriptors says nothing.
    const unsettled = /^(memory|the files|\d+ descriptors|\d+ threads)/
    expect(problems.filter((problem) => !unsettled.test(problem))).toEqual([])
  },
  120_000,
)
