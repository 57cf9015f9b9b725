/** Every chart there is. */
import type { TopLevelSpec } from 'vega-lite'
import type { Result } from '../report/result-schema.ts'
import { deliveryChart } from './delivery-chart.ts'
import { draw } from './draw.ts'
import { growthChart } from './growth-chart.ts'
import { headlineChart } from './headline-chart.ts'
import { mixedChart } from './mixed-chart.ts'
import { peersChart } from './peers-chart.ts'

interface Chart {
  /** In the folder of the results. */
  readonly file: string
  /** What those who do not see it are told. */
  readonly description: string
  /** @returns `undefined` where the results have nothing of it */
  specify(results: readonly Result[]): TopLevelSpec | undefined
}

/** In the order of the page about performance. */
const charts: readonly Chart[] = [
  {
    file: 'peers.svg',
    description: 'Bars: answers a second, milliseconds and memory of Dhole and other servers at the same work',
    specify: peersChart,
  },
  {
    file: 'growth.svg',
    description: 'Lines: processor time of one request against the size of the tree',
    specify: growthChart,
  },
  {
    file: 'delivery.svg',
    description: 'Lines: processor time of one delivery against the number of streams',
    specify: deliveryChart,
  },
  {
    file: 'mixed.svg',
    description: 'Lines: how long a GET takes among writes, queries and streams, against the number of clients',
    specify: mixedChart,
  },
  {
    file: 'headline.svg',
    description: 'Bars: speed of the headline operations as a share of the limit of the machine, with their goals',
    specify: headlineChart,
  },
]

export interface Drawing extends Pick<Chart, 'file' | 'description'> {
  /** `undefined` where the results have nothing of it. */
  readonly svg: string | undefined
}

/** Where a drawing is kept. */
export function drawingFile({ file }: Pick<Drawing, 'file'>): URL {
  return new URL(`../results/${file}`, import.meta.url)
}

/** The same results give the same drawings. @throws when a headline is not among the results */
export async function drawAll(results: readonly Result[]): Promise<Drawing[]> {
  const drawings: Drawing[] = []
  for (const { file, description, specify } of charts) {
    const spec = specify(results)
    drawings.push({ file, description, svg: spec === undefined ? undefined : await draw(spec) })
  }
  return drawings
}
