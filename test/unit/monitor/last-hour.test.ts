import { describe, expect, test } from 'bun:test'
import { LastHour } from '../../../src/monitor/last-hour.ts'
import { Metrics } from '../../../src/monitor/metrics.ts'
import { RecentRequests } from '../../../src/monitor/recent-requests.ts'
import type { EndedRequest } from '../../../src/observer.ts'

const ENDED: EndedRequest = {
  ...{ operation: 'get', status: 200, startedAt: 0, milliseconds: 2, bytesIn: 0, bytesOut: 0, id: 'id', method: 'GET' },
  ...{ path: '/a.json', address: '10.0.0.1', applicationId: 'app', refusal: undefined },
}

describe('the metrics of an hour', () => {
  test('are what each step has counted', () => {
    const metrics = new Metrics()
    using hour = new LastHour(metrics)
    expect(hour.read().times).toEqual([])
    for (let count = 0; count < 98; count++) metrics.requestEnded(ENDED)
    metrics.requestEnded({ ...ENDED, operation: 'put', status: 403, milliseconds: 80 })
    metrics.requestEnded({ ...ENDED, operation: 'query', status: 500, milliseconds: 80 })
    metrics.batchCommitted(3, 1)
    metrics.batchCommitted(4, 1)
    metrics.logSynced(4)
    metrics.streamOpened()
    for (let count = 0; count < 50; count++) metrics.streamSent(10)
    hour.step(10_000)
    hour.step(20_000)
    const { stepMs, times, series } = hour.read()
    expect({ stepMs, times }).toEqual({ stepMs: 10_000, times: [10_000, 20_000] })
    expect(series).toMatchObject({
      ...{ requests: [100, 0], errors: [1, 0], refused: [1, 0], writes: [7, 0], streams: [1, 1] },
      eventsPerSecond: [5, 0],
    })
    // Times are known to lie between the bounds of a histogram.
    expect(series.p50Ms[0]).toBeWithin(1, 2.5)
    expect(series.p99Ms[0]).toBeWithin(50, 100)
    expect(series.syncP99Ms[0]).toBeWithin(2.5, 5)
    expect(series.p50Ms[1]).toBe(0)
    expect(series.memoryBytes[0]).toBeGreaterThan(1024 ** 2)
    expect(series.loopDelayMs[0]).toBeGreaterThanOrEqual(0)
  })

  test('are those of the last hour', () => {
    const metrics = new Metrics()
    using hour = new LastHour(metrics)
    for (let step = 1; step <= 400; step++) {
      if (step % 2 === 0) metrics.requestEnded(ENDED)
      hour.step(step)
    }
    const { times, series } = hour.read()
    expect(times).toEqual(Array.from({ length: 360 }, (_, at) => at + 41))
    expect(series.requests.slice(0, 3)).toEqual([0, 1, 0])
    expect(Object.values(series).every((values) => values.length === 360)).toBe(true)
  })
})

test('a flood of requests leaves the members of most unread', () => {
  const recent = new RecentRequests()
  let reads = 0
  const ended = (at: number): EndedRequest => ({
    ...ENDED,
    startedAt: at / 100,
    get path() {
      reads++
      return `/${at}.json`
    },
  })
  // 100,000 requests in a second.
  for (let at = 0; at < 100_000; at++) recent.requestEnded(ended(at))
  expect(reads).toBeLessThanOrEqual(302)
  const paths = recent.read('recent').map(({ path }) => path)
  expect(paths).toHaveLength(200)
  // The flood is shown to its end.
  expect(Number(paths[0]?.slice(1, -5))).toBeGreaterThan(98_000)
  expect(recent.read('slow')).toEqual([])
})
