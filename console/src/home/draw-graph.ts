import uPlot from 'uplot'
import { type GraphDefinition, type Hour, valuesOf } from './graph-definitions.ts'

const HEIGHT = 120
/** Custom properties of the style sheet, in the order of the lines. */
const COLORS = ['--graph-1', '--graph-2', '--graph-3']

/** Steps of an axis of bytes, up to 1 TiB. */
const POWERS_OF_TWO = Array.from({ length: 41 }, (_, power) => 2 ** power)

/** A graph on the page. */
export interface DrawnGraph {
  show(hour: Hour): void
  /** Takes it off the page. */
  end(): void
}

/** Draws a graph into an empty element, as wide as that is. */
export function drawGraph(place: HTMLElement, definition: GraphDefinition, hour: Hour): DrawnGraph {
  const color = (name: string) => colorOf(place, name)
  const axis: uPlot.Axis = {
    stroke: color('--faint'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '11px sans-serif',
  }
  const { lines, text, isBinary } = definition
  const options: uPlot.Options = {
    width: Math.max(place.clientWidth, 100),
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: ({ data }) => shownTime(data[0]?.[0], data[0]?.at(-1)) },
      y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] },
    },
    axes: [
      { ...axis, size: 24, values: '{HH}:{mm}' },
      {
        ...axis,
        size: 64,
        space: 32,
        values: (_, ticks) => ticks.map(text),
        ...(isBinary === true ? { incrs: POWERS_OF_TWO } : {}),
      },
    ],
    series: [
      {},
      ...lines.map(({ label }, index) => ({
        label,
        stroke: color(COLORS[index] ?? '--graph-1'),
        width: 1.5,
        // A single step makes no line.
        points: { show: ({ data }: uPlot) => data[0]?.length === 1 },
      })),
    ],
  }
  const plot = new uPlot(options, dataOf(hour, definition), place)
  const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(place.clientWidth, 100), height: HEIGHT }))
  observer.observe(place)
  return {
    show: (next) => plot.setData(dataOf(next, definition)),
    end: () => {
      observer.disconnect()
      plot.destroy()
    },
  }
}

/** Least time that a graph shows, in seconds: a server that has just started has only a few steps. */
const SHORTEST_S = 300

/** The time that a graph shows. @param first the oldest step, in seconds since 1970, if there is one @param last the newest */
function shownTime(first: number | undefined, last: number | undefined): [from: number, to: number] {
  const to = last ?? Date.now() / 1000
  return [Math.min(first ?? to, to - SHORTEST_S), to]
}

/** A colour of the style sheet in the theme that is shown, in a form that a canvas knows. */
function colorOf(place: HTMLElement, property: string): string {
  const sample = document.createElement('span')
  sample.style.color = `var(${property})`
  place.append(sample)
  const { color } = getComputedStyle(sample)
  sample.remove()
  return color
}

function dataOf(hour: Hour, { lines }: GraphDefinition): uPlot.AlignedData {
  return [hour.times.map((time) => time / 1000), ...lines.map((line) => [...valuesOf(hour, line)])]
}
