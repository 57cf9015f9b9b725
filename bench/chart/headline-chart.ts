/** How near the headline operations come to the limit of the machine. */
import type { TopLevelSpec } from 'vega-lite'
import { type Headline, headlineResults } from '../report/headlines.ts'
import { short } from '../report/numbers.ts'
import type { Result } from '../report/result-schema.ts'
import { BLUE, framed, GREY, INK, ORANGE } from './style.ts'

const VERDICTS = { met: 'goal met', missed: 'goal missed', none: 'no goal' } as const

interface Bar {
  readonly title: string
  readonly speed: number
  readonly min: number
  readonly max: number
  readonly goal: number | null
  readonly verdict: string
  readonly label: string
}

export function headlineChart(results: readonly Result[]): TopLevelSpec | undefined {
  const bars = headlineResults(results).flatMap(([headline, result]) => barOf(headline, result))
  if (bars.length === 0) return undefined
  const y = { field: 'title', type: 'nominal', sort: null, axis: { title: null, ticks: false, domain: false } } as const
  return framed(
    {
      title: 'Speed as a share of the limit of the machine',
      subtitle: 'Bar: median of the rounds; thin line: smallest to largest; black mark: the goal; dashed: the limit',
    },
    {
      width: 420,
      height: { step: 24 },
      data: { values: bars },
      layer: [
        {
          mark: { type: 'bar', height: { band: 0.62 } },
          encoding: {
            y,
            x: {
              field: 'speed',
              type: 'quantitative',
              scale: { domainMin: 0 },
              axis: { title: 'speed of Dhole / speed of the limit', grid: true, tickCount: 6 },
            },
            color: {
              field: 'verdict',
              type: 'nominal',
              scale: { domain: Object.values(VERDICTS), range: [BLUE, ORANGE, GREY] },
            },
          },
        },
        {
          mark: { type: 'rule', color: INK, strokeWidth: 1 },
          encoding: { y, x: { field: 'min', type: 'quantitative' }, x2: { field: 'max' } },
        },
        {
          transform: [{ filter: 'isValid(datum.goal)' }],
          mark: { type: 'tick', color: INK, thickness: 3, height: { band: 0.9 } },
          encoding: { y, x: { field: 'goal', type: 'quantitative' } },
        },
        {
          // Beside the drawing, where no mark is in the way.
          mark: { type: 'text', align: 'left', dx: 8, fontWeight: 'bold' },
          encoding: { y, x: { value: 'width' }, text: { field: 'label' } },
        },
        { mark: { type: 'rule', color: INK, strokeDash: [4, 3] }, encoding: { x: { datum: 1 } } },
      ],
    },
  )
}

function barOf({ title, charted }: Headline, { judged, goal, ok }: Result): Bar[] {
  if (charted === undefined || judged === null) return []
  const speed = (value: number) => (charted === 'speed' ? value : 1 / value)
  const [low = 0, high = 0] = [speed(judged.min), speed(judged.max)].toSorted((left, right) => left - right)
  return [
    {
      title,
      speed: speed(judged.median),
      min: low,
      max: high,
      goal: goal === null ? null : speed(goal.bound),
      verdict: ok === null ? VERDICTS.none : ok ? VERDICTS.met : VERDICTS.missed,
      label: short(speed(judged.median)),
    },
  ]
}
