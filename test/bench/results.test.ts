import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { missedOf, missedText } from '../../bench/report/check.ts'
import { resultOf } from '../../bench/report/result.ts'
import { checkResults, type Machine, type Result, type Results } from '../../bench/report/result-schema.ts'
import { keepResults, writeResults } from '../../bench/report/results-file.ts'
import type { Goal, Row } from '../../bench/report/row.ts'
import { type TempDir, tempDir } from '../support/temp-dir.ts'
import { ALONE, EXPLAINED, MACHINE, MISSED, PLAIN, REACHED, ROWS } from './example-rows.ts'

const FULL = { quick: false }

const results = (chapter: string, ...rows: Row[]): Result[] => rows.map((row) => resultOf(chapter, row))

describe('a row as a result', () => {
  test('has its figures, the limit and what is judged as numbers', () => {
    expect(resultOf('read', REACHED)).toEqual({
      chapter: 'read',
      name: 'read hot 10k',
      operation: 'GET hot',
      size: 10_000,
      value: 24.68,
      unit: 'us CPU',
      limit: 11,
      limitUnit: 'us CPU',
      limitTitle: 'Bun.serve',
      missing: null,
      ratio: 0.45,
      judged: { median: 0.45, min: 0.4, max: 0.5, unit: 'x' },
      goal: { kind: 'at least', bound: 0.45, unit: 'x' },
      ok: true,
      explained: null,
    })
  })

  const parts: readonly (readonly [title: string, row: Row, part: Partial<Result>])[] = [
    ['a time is no ratio', MISSED, { size: null, ratio: null, ok: false, limit: 0, limitTitle: 'idle' }],
    ['growth has a place for a limit', EXPLAINED, { limit: 200, limitTitle: 'at 10k', ok: false, explained: 'Growth' }],
    [
      'says what is missing',
      ALONE,
      { limit: null, limitUnit: null, limitTitle: null, missing: 'nchan is not installed', judged: null, ok: null },
    ],
    ['may have neither limit nor goal', PLAIN, { limit: null, missing: null, ratio: null, goal: null, ok: null }],
  ]
  for (const [title, row, part] of parts) test(title, () => expect(resultOf('x', row)).toMatchObject(part))

  const goals: readonly (readonly [goal: Goal, median: number, ok: boolean])[] = [
    [{ kind: 'at least', bound: 3 }, 2.99, false],
    [{ kind: 'at least', bound: 3 }, 3, true],
    [{ kind: 'at most', bound: 3 }, 3, true],
    [{ kind: 'at most', bound: 3 }, 3.01, false],
  ]
  for (const [goal, median, ok] of goals) {
    test(`${median} is ${ok ? '' : 'not '}${goal.kind} ${goal.bound}, whatever the ends are`, () => {
      const judged = { median, min: 0, max: 100 }
      expect(resultOf('read', { ...REACHED, goal, judged }).ok).toBe(ok)
    })
  }
})

describe('a file of results', () => {
  const good: Results = { machine: MACHINE, results: results('read', ...ROWS) }
  const [first] = good.results

  test('comes back from JSON', () => {
    expect(checkResults(JSON.parse(JSON.stringify(good)))).toEqual(good)
  })

  const wrong: readonly (readonly [title: string, file: unknown, place: string])[] = [
    ['no object', [], ''],
    ['no machine', { results: [] }, '/machine'],
    ['no results', { machine: MACHINE }, '/results'],
    ['more than that', { ...good, version: 1 }, '/version'],
    ['a day that is none', { ...good, machine: { ...MACHINE, date: 'today' } }, '/machine/date'],
    ['cores by halves', { ...good, machine: { ...MACHINE, cores: 1.5 } }, '/machine/cores'],
    ['no name', { ...good, results: [{ ...first, name: '' }] }, '/results/0/name'],
    ['a text for a number', { ...good, results: [first, { ...first, value: '24.7 us' }] }, '/results/1/value'],
    // What JSON makes of figures that are no numbers.
    ['no value', { ...good, results: [{ ...first, value: null }] }, '/results/0/value'],
    ['a value that is no number', { ...good, results: [{ ...first, value: Number.NaN }] }, '/results/0/value'],
    ['an endless ratio', { ...good, results: [{ ...first, ratio: Number.POSITIVE_INFINITY }] }, '/results/0/ratio'],
    ['half a spread', { ...good, results: [{ ...first, judged: { median: 1, unit: 'x' } }] }, '/results/0/judged'],
    [
      'another kind of goal',
      { ...good, results: [{ ...first, goal: { kind: 'about', bound: 1, unit: 'x' } }] },
      '/goal',
    ],
    ['no word on the goal', { ...good, results: [{ ...first, ok: 'yes' }] }, '/results/0/ok'],
  ]
  for (const [title, file, place] of wrong) {
    test(`is refused with ${title}`, () => {
      let message = ''
      try {
        checkResults(file)
      } catch (error) {
        message = String(error)
      }
      expect(message).toStartWith('TypeError: no file of results: ')
      expect(message).toContain(place)
    })
  }
})

const KEPT = fileURLToPath(new URL('../../bench/results/results.json', import.meta.url))
const unkept = existsSync(KEPT) ? '' : ' (skipped: no run has kept any yet)'

test.skipIf(!existsSync(KEPT))(`the results of the repository are a file of results${unkept}`, () => {
  const { results: all } = checkResults(JSON.parse(readFileSync(KEPT, 'utf8')))
  const names = all.map(({ chapter, name }) => `${chapter}: ${name}`)
  expect(names).not.toBeEmpty()
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
})

describe('what is kept', () => {
  const CHAPTERS = ['read', 'write', 'query']
  const OTHER: Machine = { ...MACHINE, model: 'Example 4000' }
  const LATER: Machine = { ...MACHINE, date: '2026-11-22' }

  async function withFile(work: (file: string, dir: TempDir) => void): Promise<void> {
    await using dir = await tempDir()
    work(dir.file('results.json'), dir)
  }
  const keep = (file: string, chapter: string, machine: Machine, ...rows: Row[]) =>
    keepResults(file, chapter, { machine, results: results(chapter, ...rows) }, CHAPTERS)
  const kept = (file: string): Results => checkResults(JSON.parse(readFileSync(file, 'utf8')))

  test('is put into a file that was not there', () =>
    withFile((file) => {
      keep(file, 'write', MACHINE, REACHED, PLAIN)
      expect(kept(file)).toEqual({ machine: MACHINE, results: results('write', REACHED, PLAIN) })
    }))

  test('takes the place of what the chapter had, in the order of the chapters', () =>
    withFile((file) => {
      keep(file, 'query', MACHINE, REACHED)
      keep(file, 'write', MACHINE, REACHED, MISSED)
      keep(file, 'read', MACHINE, PLAIN)
      keep(file, 'write', MACHINE, ALONE)
      expect(kept(file).results).toEqual([
        ...results('read', PLAIN),
        ...results('write', ALONE),
        ...results('query', REACHED),
      ])
    }))

  test('forgets chapters that are there no more', () =>
    withFile((file) => {
      writeResults(file, { machine: MACHINE, results: results('former', REACHED) })
      keep(file, 'read', MACHINE, PLAIN)
      expect(kept(file).results).toEqual(results('read', PLAIN))
    }))

  test('says what was measured on another machine, or another day', () =>
    withFile((file) => {
      keep(file, 'read', OTHER, REACHED)
      keep(file, 'write', MACHINE, REACHED)
      keep(file, 'query', LATER, REACHED)
      const [read, write, query] = kept(file).results
      expect(kept(file).machine).toEqual(LATER)
      expect([read?.machine, write?.machine, query?.machine]).toEqual([OTHER, MACHINE, undefined])
    }))

  test('says it no more when the machine of the file is the same again', () =>
    withFile((file) => {
      keep(file, 'read', MACHINE, REACHED)
      keep(file, 'write', OTHER, REACHED)
      keep(file, 'query', MACHINE, REACHED)
      expect(kept(file).results.map(({ machine }) => machine)).toEqual([undefined, OTHER, undefined])
    }))

  test('is as it was when a figure is no number', () =>
    withFile((file) => {
      keep(file, 'read', MACHINE, REACHED)
      const before = readFileSync(file, 'utf8')
      const broken = { ...PLAIN, measured: { value: Number.NaN, unit: 'ms' } }
      expect(() => keep(file, 'write', MACHINE, broken)).toThrow('/results/1/value')
      expect(readFileSync(file, 'utf8')).toBe(before)
    }))
})

describe('missed goals', () => {
  test('are told apart by whether there is an explanation', () => {
    const { unexplained, explained } = missedOf(results('read', ...ROWS), FULL)
    expect(unexplained.map(({ name }) => name)).toEqual(['turn'])
    expect(explained.map(({ name }) => name)).toEqual(['growth'])
  })

  test('are listed', () => {
    expect(missedText(missedOf(results('read', ...ROWS, { ...MISSED, size: 10_000 }), FULL))).toBe(
      [
        'missed, as README.md of the results explains: read: growth: 24.9x, at most 1.3',
        'missed: read: longest turn: 12.5 ms, at most 10',
        'missed: read: longest turn, 10k: 12.5 ms, at most 10',
        '2 goals are missed.',
        '',
      ].join('\n'),
    )
  })

  test('with an explanation alone leave nothing open', () => {
    const text = missedText(missedOf(results('read', EXPLAINED, REACHED, ALONE), FULL))
    expect(text).toEndWith('No goal is missed without a reason.\n')
  })

  const nearlyMet: readonly (readonly [goal: Goal, median: number, isMissed: boolean])[] = [
    [{ kind: 'at least', bound: 3 }, 1, false],
    [{ kind: 'at least', bound: 3 }, 0.99, true],
    [{ kind: 'at most', bound: 3 }, 9, false],
    [{ kind: 'at most', bound: 3 }, 9.01, true],
  ]
  for (const [goal, median, isMissed] of nearlyMet) {
    test(`in a quick run ${median} ${isMissed ? 'misses' : 'nearly reaches'} ${goal.kind} ${goal.bound}`, () => {
      const rows = results('read', { ...REACHED, goal, judged: { median, min: 0, max: 100 } })
      expect(missedOf(rows, { quick: true }).unexplained.length).toBe(isMissed ? 1 : 0)
      expect(missedOf(rows, FULL).unexplained.length).toBe(1)
    })
  }

  test('that are reached after all are not listed', () => {
    const judged = { median: 1.2, min: 1, max: 2 }
    expect(missedOf(results('read', { ...EXPLAINED, judged }), FULL)).toEqual({ unexplained: [], explained: [] })
  })
})
