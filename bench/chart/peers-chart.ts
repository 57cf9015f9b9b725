/** What Dhole and the servers that people would use instead do with the same work, in plain units. */
import type { TopLevelSpec } from 'vega-lite'
import { withUnit } from '../report/numbers.ts'
import type { Result } from '../report/result-schema.ts'
import { BLUE, framed, GREY } from './style.ts'

const US = 'dhole'
/** Rows about one server are named so. */
const PLAIN = /^(?:(.+) (rate|time)|(memory)) of (\S+)$/
const COLUMNS = 3

interface Bar {
  readonly panel: string
  readonly server: string
  readonly value: number
  readonly label: string
  readonly isOurs: boolean
}

export function peersChart(results: readonly Result[]): TopLevelSpec | undefined {
  const bars = results.flatMap(barsOf)
  if (bars.length === 0) return undefined
  const panels = [...new Set(bars.map(({ panel }) => panel))]
  const y = {
    field: 'server',
    type: 'nominal',
    sort: null,
    axis: { title: null, ticks: false, domain: false },
  } as const
  return framed(
    {
      title: 'Dhole beside other servers, at the same work on the same machine',
      subtitle:
        '16 clients, each with one request at a time; Dhole over HTTPS and durable, the others over HTTP and not',
    },
    {
      data: { values: bars },
      facet: {
        field: 'panel',
        type: 'nominal',
        sort: panels,
        title: null,
        header: { labelFontSize: 11, labelAnchor: 'start' },
      },
      columns: COLUMNS,
      spacing: { row: 12, column: 70 },
      resolve: { scale: { x: 'independent', y: 'shared' } },
      spec: {
        width: 130,
        height: { step: 20 },
        layer: [
          {
            mark: { type: 'bar', height: { band: 0.7 } },
            encoding: {
              y,
              x: { field: 'value', type: 'quantitative', axis: null },
              color: {
                field: 'isOurs',
                type: 'nominal',
                scale: { domain: [true, false], range: [BLUE, GREY] },
                legend: null,
              },
            },
          },
          {
            // Beside the drawing, where no bar is in the way.
            mark: { type: 'text', align: 'left', dx: 6, fontWeight: 'bold' },
            encoding: { y, x: { value: 'width' }, text: { field: 'label' } },
          },
        ],
      },
    },
  )
}

function barsOf({ chapter, name, operation, value, unit }: Result): Bar[] {
  const server = chapter === 'peers' ? PLAIN.exec(name)?.at(-1) : undefined
  if (server === undefined) return []
  const panel = operation.slice(0, -`, ${server}`.length)
  return [{ panel, server, value, label: withUnit(value, unit), isOurs: server === US }]
}
