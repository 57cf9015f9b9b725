import '../support/long-lane.ts'
import { expect, test } from 'bun:test'
import { executablePath, MISSING } from './chromium.ts'
import { isMissed, lineOf } from './measure/figure.ts'
import { measureConsole } from './measure/measure.ts'
import { FRAME_MARK, scriptOfFrames, tasksOfPage } from './measure/trace.ts'

const SMALL = { children: 5000, rows: 2000, rounds: 1, changeSeconds: 1, idleSeconds: 1 }

test.skipIf(executablePath === undefined)(
  `the console is measured${executablePath === undefined ? ` (${MISSING})` : ''}`,
  async () => {
    const figures = await Array.fromAsync(measureConsole(SMALL))
    // What a busy machine makes slow is not judged here, only that something was measured.
    expect(figures.filter(({ value }) => !Number.isFinite(value))).toEqual([])
    const figureOf = (name: string) => figures.find((figure) => figure.name === name)?.value
    expect(figureOf('rows that were scrolled through')).toBeGreaterThanOrEqual(1999)
    expect(figureOf('frames meanwhile')).toBeGreaterThanOrEqual(19)
    expect(figureOf('script of a frame: half are below')).toBeGreaterThan(0)
    expect(figureOf('memory of the page: its objects')).toBeLessThan(100)
    expect(figureOf('changes a second of the open node, by writes of one child')).toBeGreaterThan(0)
    expect(figureOf('all files of the console, compressed')).toBeLessThan(250)
  },
)

test('script is counted for the frame in which it runs, once', () => {
  const event = (name: string, ts: number, dur?: number) => {
    const times = { ts: ts * 1000, dur: (dur ?? 0) * 1000, tts: ts * 1000, tdur: (dur ?? 0) * 500 }
    return { name, ph: dur === undefined ? 'I' : 'X', pid: 1, tid: 1, ...times }
  }
  const traceEvents = [
    event('FunctionCall', 0, 5),
    ...[10, 30, 50].map((at) => event(FRAME_MARK, at)),
    event('FireAnimationFrame', 9, 4),
    event('FunctionCall', 9.5, 3),
    event('Layout', 14, 10),
    event('TimerFire', 25, 10),
    event('RunMicrotasks', 60, 5),
    event('ThreadControllerImpl::RunTask', 70, 20),
    { ...event('FunctionCall', 20, 5), tid: 2 },
  ]
  const text = JSON.stringify({ traceEvents })
  expect(scriptOfFrames(text, 'wall')).toEqual([3 + 5, 5])
  expect(scriptOfFrames(text, 'processor')).toEqual([1 + 5, 0])
  expect(tasksOfPage(text, 'processor')).toEqual([10])
})

test('a figure beyond its limit is missed, and one without a limit is not', () => {
  const figure = { name: 'first paint', value: 301, unit: 'ms' }
  expect([isMissed(figure), isMissed({ ...figure, most: 300 }), isMissed({ ...figure, least: 400 })]).toEqual([
    ...[false, true, true],
  ])
  expect(isMissed({ ...figure, value: Number.NaN, most: 300 })).toBe(true)
  expect(lineOf({ ...figure, most: 300 })).toMatch(/^first paint +301 ms {2}at most 300 +MISSED$/)
})
