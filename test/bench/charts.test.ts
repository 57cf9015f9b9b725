import { expect, test } from 'bun:test'
import { drawAll } from '../../bench/chart/charts.ts'
import { decades } from '../../bench/chart/decades.ts'
import { draw } from '../../bench/chart/draw.ts'
import { lineChart } from '../../bench/chart/line-chart.ts'
import { makeFigures, makePerformance } from '../../bench/chart/page-blocks.ts'
import { pointsOf } from '../../bench/chart/series.ts'
import { headlines } from '../../bench/report/headlines.ts'
import type { Result } from '../../bench/report/result-schema.ts'
import { MACHINE } from './example-rows.ts'
import { headlineSample, result, sample } from './sample-results.ts'

const LARGEST_FILE = 40_000
const LINES = {
  title: 'a title',
  subtitle: 'a subtitle',
  xTitle: 'clients',
  yTitle: 'ms',
  points: [1, 10, 100, 1000].flatMap((x) => ['one', 'two'].map((series) => ({ series, x, y: x / 10 }))),
}

async function drawn(file: string, results: readonly Result[]): Promise<string | undefined> {
  return (await drawAll(results)).find((drawing) => drawing.file === file)?.svg
}

/** Filled in the colours of the verdicts; what the legend has stands elsewhere and is moved there. */
function bars(svg = ''): number {
  return [...svg.matchAll(/<path d="[^"]*" fill="#(?:0072b2|d55e00|8c959f)"/g)].length
}

test('a chart of lines has all there is to read, on white, and is small', async () => {
  const svg = await draw(lineChart({ ...LINES, logarithmic: true, mark: { x: 10, label: 'the knee' } }))
  for (const words of ['a title', 'a subtitle', 'clients', 'ms', 'one', 'two', 'the knee', '1k', 'fill="white"']) {
    expect(svg, words).toContain(words)
  }
  expect(svg).not.toMatch(/NaN|undefined|Infinity/)
  expect(svg.length).toBeLessThan(LARGEST_FILE)
  expect(await draw(lineChart(LINES))).not.toContain('the knee')
})

test('the same results give the same drawing', async () => {
  const first = await drawn('headline.svg', headlineSample())
  expect(first?.length).toBeLessThan(LARGEST_FILE)
  expect(await drawn('headline.svg', structuredClone(headlineSample()))).toBe(first ?? '')
})

test('the chart of headlines has a bar for each that is compared', async () => {
  const charted = headlines.filter((headline) => headline.charted !== undefined)
  expect(bars(await drawn('headline.svg', headlineSample()))).toBe(charted.length)
})

test('more time than the limit is a share of its speed', async () => {
  const twice = headlineSample().map((found) => ({ ...found, judged: { median: 2, min: 2, max: 2, unit: 'x' } }))
  const labels = [...((await drawn('headline.svg', twice)) ?? '').matchAll(/font-weight="bold"[^>]*>([\d.]+)</g)]
  const expected = headlines.flatMap(({ charted }) =>
    charted === undefined ? [] : charted === 'time' ? '0.50' : '2.00',
  )
  expect(labels.map(([, label]) => label)).toEqual(expected)
})

test('a chart of what was not measured is not drawn', async () => {
  const drawings = await drawAll(headlineSample())
  expect(drawings.filter(({ svg }) => svg !== undefined).map(({ file }) => file)).toEqual(['headline.svg'])
  expect(makePerformance(sample(headlineSample()), drawings)).not.toContain('peers.svg')
})

test('every server has a bar of what it does, and none of what it was not asked', async () => {
  const plain = (name: string, operation: string, value: number, unit: string) =>
    result({ chapter: 'peers', name, operation, value, unit })
  const svg = await drawn('peers.svg', [
    ...headlineSample(),
    plain('get rate of dhole', 'GET of a place: requests a second, dhole', 1234, '/s'),
    plain('get rate of acebase-server', 'GET of a place: requests a second, acebase-server', 56, '/s'),
    plain('memory of dhole', 'memory after all of it, dhole', 78, 'MB'),
    result({ chapter: 'peers', name: 'get against json-server', operation: 'GET of a place, against json-server' }),
  ])
  for (const words of ['GET of a place: requests a second', '1234/s', 'acebase-server', '56.0/s', '78.0 MB'])
    expect(svg, words).toContain(words)
  expect(svg).not.toContain('json-server')
})

test('a headline that has vanished is named', () => {
  const [first] = headlines
  const results = headlineSample().slice(1)
  expect(() => makePerformance(sample(results), [])).toThrow(`${first?.chapter} have no "${first?.name}"`)
})

test.each<[string, Partial<Result>, string]>([
  ['met', {}, '| Bun.serve 8.00 us CPU | **0.80x** (0.75 to 0.85) | at least 0.7x | met |'],
  [
    'missed',
    { goal: { kind: 'at least', bound: 0.9, unit: 'x' }, ok: false },
    '| at least 0.9x | [missed](../../bench/results/README.md#where-goals-are-missed-and-why): an Elysia application that does nothing else stands at 0.9 |',
  ],
  [
    'no ratio',
    {
      ratio: null,
      judged: { median: 2.5, min: 2, max: 3, unit: 'ms' },
      goal: { kind: 'at most', bound: 5, unit: 'ms' },
    },
    '**2.50 ms** (2.00 to 3.00) | at most 5 ms | met |',
  ],
  ['no goal', { goal: null, ok: null }, '(0.75 to 0.85) |  |  |'],
  [
    'missing limit',
    {
      limit: null,
      limitUnit: null,
      limitTitle: null,
      missing: 'nginx is not installed',
      judged: null,
      goal: null,
      ok: null,
    },
    '| 10.0 us CPU | nginx is not installed |  |  |  |',
  ],
])('the table says of a headline: %s', (_, changes, cells) => {
  const [first, ...rest] = headlineSample()
  const lines = makePerformance(sample([{ ...(first as Result), ...changes }, ...rest]), []).split('\n')
  expect(lines.find((line) => line.startsWith(`| ${headlines[0]?.title} |`))).toEndWith(cells)
})

test('figures of another machine are told apart', () => {
  const [first, ...rest] = headlineSample()
  const moved = { ...(first as Result), machine: { ...MACHINE, date: '2026-11-20' } }
  expect(makePerformance(sample([moved, ...rest]), [])).toContain(
    'read on Example 3000, 2 cores, 7 GiB of memory, Linux 6.1.0, Bun 1.4.5, 2026-11-20; read, write,',
  )
  expect(makePerformance(sample(headlineSample()), [])).toContain('\nMeasured on Example 3000')
})

test('points come in the order of their sizes, and a series that has vanished is named', () => {
  const of = (size: number) => result({ chapter: 'growth', name: `a ${size}`, operation: 'a', size, value: size * 2 })
  const series = [{ title: 'A', operation: 'a' }]
  expect(pointsOf([of(100), of(10)], 'growth', series)).toEqual([
    { series: 'A', x: 10, y: 20 },
    { series: 'A', x: 100, y: 200 },
  ])
  expect(pointsOf([of(100)], 'growth', [{ title: 'A', operation: 'a', limitTitle: 'the limit' }])).toEqual([
    { series: 'A', x: 100, y: 200 },
    { series: 'the limit', x: 100, y: 8 },
  ])
  expect(pointsOf([of(100)], 'mixed', series)).toEqual([])
  expect(() => pointsOf([of(100)], 'growth', [...series, { title: 'B', operation: 'b' }])).toThrow('growth have no "b"')
})

test.each([
  [[1], [1]],
  [
    [0.3, 5],
    [0.1, 1, 10],
  ],
  [
    [1, 1000],
    [1, 10, 100, 1000],
  ],
  [
    [20, 30],
    [10, 100],
  ],
])('the decades around %p', (values, expected) => {
  expect(decades(values)).toEqual(expected)
})

test('the README shows few headlines, with what each is compared with', () => {
  const rows = makeFigures(sample(headlineSample()))
    .split('\n')
    .filter((line) => line.startsWith('| '))
  expect(rows).toHaveLength(2 + headlines.filter(({ isInReadme }) => isInReadme).length)
  expect(rows[2]).toBe(`| ${headlines[0]?.title} | 10.0 us CPU | Bun.serve 8.00 us CPU |`)
})
