import { expect, test } from 'bun:test'
import { servedMetrics } from '../../../packaging/documents/metrics.ts'
import { OPERATIONS } from '../../../src/observer.ts'
import { configSchema } from '../../../src/server/config/settings.ts'
import { pageText } from './blocks.ts'

const REFERENCE = 'docs/reference/metrics.md'
const MONITOR = 'docs/how-to/monitor.md'
const ALERTS = 'packaging/monitoring/alerts.yaml'
const DASHBOARD = 'packaging/monitoring/dashboard.json'
/** Lines of a histogram. */
const PARTS = /_(?:bucket|sum|count)$/

interface Panel {
  readonly id: number
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
}

/** Metrics that a page names, without the ending of a line of a histogram. */
async function metricsOf(page: string, histograms: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const names = (await pageText(page)).match(/\b(?:dhole|process)_[a-z_]+[a-z]\b/g) ?? []
  return new Set(names.map((name) => (histograms.has(name.replace(PARTS, '')) ? name.replace(PARTS, '') : name)))
}

test.each([REFERENCE, MONITOR, ALERTS, DASHBOARD])('every metric that %s names is served', async (page) => {
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

test('a disk that does not answer is an alert within a minute, at the intervals that the page sets', async () => {
  const page = await pageText(MONITOR)
  const secondsOf = (pattern: RegExp, text: string) => Number(pattern.exec(text)?.[1])
  const scrape = secondsOf(/scrape_interval: (\d+)s/, page)
  const evaluation = secondsOf(/evaluation_interval: (\d+)s/, page)
  const { groups } = JSON.parse(await pageText(ALERTS)) as { groups: { rules: Rule[] }[] }
  const ready = groups.flatMap(({ rules }) => rules).find(({ expr }) => expr === 'dhole_ready == 0')
  const during = secondsOf(/^(\d+)s$/, ready?.for ?? '')
  // `dhole_ready` takes three seconds where the disk does not answer; then the alert is looked at until it has lasted.
  const worst = scrape + 3 + evaluation + Math.ceil(during / evaluation) * evaluation
  expect(worst).toBeLessThanOrEqual(60)
})

test('the dashboard shows every metric', async () => {
  const served = await servedMetrics()
  const histograms = new Set(served.filter(([, type]) => type === 'histogram').map(([name]) => name))
  const shown = await metricsOf(DASHBOARD, histograms)
  expect(served.map(([name]) => name).filter((name) => !shown.has(name))).toEqual([])
})

test('no panel of the dashboard covers another', async () => {
  const { panels } = JSON.parse(await pageText(DASHBOARD)) as { panels: readonly Panel[] }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const cells = panels.flatMap(({ title, gridPos: { x, y, w, h } }) => {
    expect(x + w).toBeLessThanOrEqual(24)
    return Array.from({ length: w * h }, (_, at) => ({ title, cell: `${x + (at % w)} ${y + Math.trunc(at / w)}` }))
  })
  expect(Object.entries(Object.groupBy(cells, ({ cell }) => cell)).filter(([, some]) => some?.length !== 1)).toEqual([])
})

test('alerts have names and times of Prometheus, and labels that exist', async () => {
  const { groups } = JSON.parse(await pageText(ALERTS)) as { groups: readonly { rules: readonly Rule[] }[] }
  const rules = groups.flatMap((group) => group.rules)
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  for (const { alert, expr, for: during } of rules) {
    expect(alert).toMatch(/^Dhole[A-Za-z]+$/)
    expect(during).toMatch(/^\d+[ms]$/)
    const labels = [...expr.matchAll(/([a-z]+)="/g)].map(([, label = '']) => label)
    expect(labels.filter((label) => !['job', 'status', 'quantile', 'kind'].includes(label))).toEqual([])
  }
})
