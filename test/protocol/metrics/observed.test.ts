import { expect, test } from 'bun:test'
import { startApplications } from '../../../src/dhole.ts'
import { Metrics } from '../../../src/monitor/metrics.ts'
import { PrometheusPage } from '../../../src/server/metrics/metrics-page.ts'
import { makeApplications, storageOf } from '../../support/engine.ts'
import { openSource } from '../../support/event-source.ts'
import { SECRET, startInProcess } from '../../support/https-server.ts'
import { turns } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { samplesOf } from '../../system/metrics/page.ts'

test('a listener that is too slow is counted each time it is told everything anew', async () => {
  const metrics = new Metrics()
  await using server = await startInProcess({ observer: metrics, streams: { maxWaiting: 1000 } })
  await using source = await openSource(server, '/a.json')
  await source.next()
  source.pause()
  for (let at = 0; metrics.totals.streamResyncs === 0; at++) {
    await server.call('PUT', '/a.json', { body: JSON.stringify(String(at % 10).repeat(256 * 1024)) })
  }
  source.resume()
  expect(metrics.totals.streams).toBe(1)
})

test('applications come and go, and nothing of them is left', async () => {
  await using dir = await tempDir()
  const metrics = new Metrics()
  await makeApplications(
    dir.path,
    Array.from({ length: 20 }, (_, at) => `app-${at}`),
  )
  const { applications } = startApplications(
    { ...storageOf(dir.path), dataDir: dir.path, applications: { app: { secret: SECRET } }, observer: metrics },
    { find: () => ({ secret: SECRET }), idleMs: 3_600_000, maxOpen: 2 },
  )
  const page = new PrometheusPage(metrics, () => applications.readiness())
  const lines = async () => samplesOf((await page.print()).text)
  const before = await lines()
  for (let at = 0; at < 20; at++) {
    await applications.choose(`app-${at}`, '')
    // Whoever waited for it holds it for a turn.
    await turns(2)
  }
  const after = await lines()
  expect([...after.keys()]).toEqual([...before.keys()])
  expect([...after.keys()].filter((name) => name.includes('app-'))).toEqual([])
  expect(after.get('dhole_applications_open')).toBe(3)
  await applications.close()
  expect((await lines()).get('dhole_applications_open')).toBe(0)
  page.close()
})
