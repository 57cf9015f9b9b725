/** What it costs to tell one of many streams. */
import type { TopLevelSpec } from 'vega-lite'
import type { Result } from '../report/result-schema.ts'
import { lineChart } from './line-chart.ts'
import { pointsOf } from './series.ts'

const SERIES = [{ title: 'one message in flight', operation: 'delivery to one subscriber' }]

export function deliveryChart(results: readonly Result[]): TopLevelSpec | undefined {
  const points = pointsOf(results, 'growth', SERIES)
  if (points.length === 0) return undefined
  return lineChart({
    title: 'Cost of one delivery against the number of streams',
    subtitle: 'Processor time of the server for one message to one stream, median of the rounds; flat is good',
    xTitle: 'streams of the node that is written to (log scale)',
    yTitle: 'us for one delivery',
    points,
  })
}
