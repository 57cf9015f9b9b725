/** What requests cost in larger and larger trees and lists. */
import type { TopLevelSpec } from 'vega-lite'
import type { Result } from '../report/result-schema.ts'
import { lineChart } from './line-chart.ts'
import { pointsOf } from './series.ts'

const SERIES = [
  { title: 'GET of a leaf, read before', operation: 'GET leaf hot, HTTPS' },
  { title: 'GET of a leaf, not read before', operation: 'GET leaf cold, HTTPS' },
  { title: 'PUT of a leaf, 64 clients', operation: 'PUT leaf, 64 clients, HTTPS' },
  { title: '20 children in order, not asked before', operation: 'GET 20 by child, cold, HTTPS' },
]

export function growthChart(results: readonly Result[]): TopLevelSpec | undefined {
  const points = pointsOf(results, 'growth', SERIES)
  if (points.length === 0) return undefined
  return lineChart({
    title: 'Cost against the size of the tree',
    subtitle: 'Processor time of the server for one request over HTTPS, median of the rounds; flat is good',
    xTitle: 'leaves of the tree, children of the list (log scale)',
    yTitle: 'us for one request',
    points,
  })
}
