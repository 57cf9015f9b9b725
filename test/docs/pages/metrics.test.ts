import { expect, test } from 'bun:test'
import { servedMetrics } from '../../../packaging/documents/metrics.ts'
import { OPERATIONS } from '../../../src/observer.ts'
import { configSchema } from '../../../src/server/config/settings.ts'
import { pageText } from './blocks.ts'

const REFERENCE = 'docs/reference/metrics.md'
const MONITOR = 'docs/how-to/monitor.md'
/** Lines of a histogram. */
const PARTS = /_(?:bucket|sum|count)$/

/** Metrics that a page names, without the ending of a line of a histogram. */
async function metricsOf(page: string, histograms: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const names = (await pageText(page)).match(/\b(?:dhole|process)_[a-z_]+[a-z]\b/g) ?? []
  return new Set(names.map((name) => (histograms.has(name.replace(PARTS, '')) ? name.replace(PARTS, '') : name)))
}

test.each([REFERENCE, MONITOR])('every metric that %s names is served', async (page) => {
  const served = await servedMetrics()
  const histograms = new Set(served.filter(([, type]) => type === 'histogram').map(([name]) => name))
  const known = new Set(served.map(([name]) => name))
  const named = await metricsOf(page, histograms)
  expect(named.size).toBeGreaterThan(7)
  expect([...named].filter((name) => !known.has(name))).toEqual([])
})

test('the reference lists the operations', async () => {
  const [, list = ''] = /The label `operation` is one of ([\s\S]*?)\n\n/.exec(await pageText(REFERENCE)) ?? []
  // What stands in brackets are paths.
  const listed = [...list.replace(/\([^)]*\)/g, '').matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name)
  expect(listed.toSorted()).toEqual([...OPERATIONS].toSorted())
})

test('every setting that the page about monitoring names exists', async () => {
  const named = [...(await pageText(MONITOR)).matchAll(/`([A-Z][A-Z_]*)[`=]/g)].map(([, name = '']) => name)
  // Method names stand in the same form.
  const settings = named.filter((name) => name !== 'GET')
  expect(settings.length).toBeGreaterThan(5)
  expect(settings.filter((name) => !(name in configSchema.properties))).toEqual([])
})
