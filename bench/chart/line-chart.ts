/** A chart of lines over an axis whose steps are multiples. */
import type { TopLevelSpec } from 'vega-lite'
import { decades } from './decades.ts'
import { type Frame, framed, INK, SERIES_COLOURS, SERIES_SHAPES } from './style.ts'

export interface Point {
  readonly series: string
  readonly x: number
  readonly y: number
}

/** A place on the x axis that is pointed out. */
export interface Mark {
  readonly x: number
  readonly label: string
}

export interface Lines extends Frame {
  readonly xTitle: string
  readonly yTitle: string
  /** Whether the steps of the y axis are multiples too; else it begins at zero. */
  readonly logarithmic?: true
  /** In the order of the legend. */
  readonly points: readonly Point[]
  readonly mark?: Mark | undefined
}

export function lineChart({ xTitle, yTitle, logarithmic, points, mark, ...frame }: Lines): TopLevelSpec {
  const series = [...new Set(points.map((point) => point.series))]
  const steps = [...new Set(points.map(({ x }) => x))].toSorted((left, right) => left - right)
  return framed(frame, {
    width: 480,
    height: 260,
    layer: [
      {
        data: { values: [...points] },
        mark: { type: 'line', strokeWidth: 2, point: { filled: true, size: 60 } },
        encoding: {
          x: {
            field: 'x',
            type: 'quantitative',
            scale: { type: 'log', nice: false, padding: 12 },
            axis: { title: xTitle, values: steps, format: '~s', grid: false },
          },
          y: {
            field: 'y',
            type: 'quantitative',
            scale: logarithmic ? { type: 'log' } : { zero: true },
            axis: {
              title: yTitle,
              format: '.6~g',
              ...(logarithmic ? { values: decades(points.map(({ y }) => y)) } : { tickCount: 6 }),
            },
          },
          color: {
            field: 'series',
            type: 'nominal',
            scale: { domain: series, range: [...SERIES_COLOURS] },
            legend: { columns: 2 },
          },
          shape: { field: 'series', type: 'nominal', scale: { domain: series, range: [...SERIES_SHAPES] } },
        },
      },
      ...(mark === undefined
        ? []
        : [
            {
              data: { values: [mark] },
              mark: { type: 'rule' as const, color: INK, strokeDash: [4, 3] },
              encoding: { x: { field: 'x', type: 'quantitative' as const } },
            },
            {
              data: { values: [mark] },
              mark: { type: 'text' as const, align: 'right' as const, dx: -5, dy: 4, baseline: 'top' as const },
              encoding: {
                x: { field: 'x', type: 'quantitative' as const },
                y: { value: 0 },
                text: { field: 'label' },
              },
            },
          ]),
    ],
  })
}
