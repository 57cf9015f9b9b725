/** How long a GET takes among everything else, with more and more clients. */
import type { TopLevelSpec } from 'vega-lite'
import type { Result } from '../report/result-schema.ts'
import { lineChart } from './line-chart.ts'
import { pointsOf } from './series.ts'

const SERIES = [
  { title: 'p50 of GET', operation: 'GET p50' },
  { title: 'p99 of GET', operation: 'GET p99', limitTitle: 'p99 of GET, Bun.serve from memory' },
]
const KNEE = 'the knee'

export function mixedChart(results: readonly Result[]): TopLevelSpec | undefined {
  const points = pointsOf(results, 'mixed', SERIES)
  if (points.length === 0) return undefined
  const knee = results.find(({ chapter, operation }) => chapter === 'mixed' && operation === KNEE)
  return lineChart({
    title: 'GET among writes, queries and 200 streams',
    subtitle: '90 % GET, 8 % PUT, 2 % ordered queries; clients and server share two cores',
    xTitle: 'clients with one request under way each (log scale)',
    yTitle: 'ms (log scale)',
    logarithmic: true,
    points,
    mark: knee === undefined ? undefined : { x: knee.value, label: `knee: ${knee.value} clients` },
  })
}
