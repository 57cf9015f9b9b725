/** What the same work costs the servers that people would use instead. */
import type { TopLevelSpec } from 'vega-lite'
import { withUnit } from '../report/numbers.ts'
import type { Result } from '../report/result-schema.ts'
import { decades } from './decades.ts'
import { framed, GREY, INK, SERIES_COLOURS, SERIES_SHAPES } from './style.ts'

/** Rows of comparisons are named so. */
const COMPARISON = /^(.+), against (acebase-server|json-server|nchan)$/

interface Dot {
  readonly title: string
  readonly peer: string
  readonly times: number
  readonly min: number
  readonly max: number
  readonly goal: number | null
  readonly label: string
}

export function peersChart(results: readonly Result[]): TopLevelSpec | undefined {
  const dots = results.flatMap(dotsOf)
  if (dots.length === 0) return undefined
  const peers = [...new Set(dots.map(({ peer }) => peer))]
  const values = decades(dots.flatMap(({ min, max, goal }) => [1, min, max, ...(goal === null ? [] : [goal])]))
  const y = { field: 'title', type: 'nominal', sort: null, axis: { title: null, ticks: false, domain: false } } as const
  return framed(
    {
      title: 'Times less processor time than other servers',
      subtitle: 'Dot: median of the rounds; line: smallest to largest; black mark: the goal; dashed: as much as Dhole',
    },
    {
      width: 420,
      height: { step: 22 },
      data: { values: dots },
      layer: [
        {
          mark: { type: 'rule', color: GREY, strokeWidth: 2 },
          encoding: { y, x: { field: 'min', type: 'quantitative' }, x2: { field: 'max' } },
        },
        {
          mark: { type: 'point', filled: true, size: 90, opacity: 1 },
          encoding: {
            y,
            x: {
              field: 'times',
              type: 'quantitative',
              scale: { type: 'log', domain: [values[0] ?? 1, values.at(-1) ?? 1] },
              axis: {
                title: 'processor time of the other server / of Dhole, for one request (log scale)',
                format: '.6~g',
                values,
              },
            },
            color: {
              field: 'peer',
              type: 'nominal',
              scale: { domain: peers, range: [...SERIES_COLOURS] },
              legend: null,
            },
            shape: {
              field: 'peer',
              type: 'nominal',
              scale: { domain: peers, range: [...SERIES_SHAPES] },
              legend: null,
            },
          },
        },
        {
          transform: [{ filter: 'isValid(datum.goal)' }],
          mark: { type: 'tick', color: INK, thickness: 3 },
          encoding: { y, x: { field: 'goal', type: 'quantitative' } },
        },
        {
          mark: { type: 'text', align: 'left', dx: 8, fontWeight: 'bold' },
          encoding: { y, x: { value: 'width' }, text: { field: 'label' } },
        },
        { mark: { type: 'rule', color: INK, strokeDash: [4, 3] }, encoding: { x: { datum: 1 } } },
      ],
    },
  )
}

function dotsOf({ operation, judged, goal }: Result): Dot[] {
  const [, work, peer] = COMPARISON.exec(operation) ?? []
  if (work === undefined || peer === undefined || judged === null) return []
  const { median, min, max } = judged
  const label = withUnit(median, judged.unit)
  return [{ title: `${work}, ${peer}`, peer, times: median, min, max, goal: goal?.bound ?? null, label }]
}
