/** What all charts look like: readable on a white page and on a dark one, and by those who see few colours. */
import type { Config, TopLevelSpec } from 'vega-lite'

const FONT = 'Helvetica, Arial, sans-serif'
export const INK = '#1f2328'
const FAINT = '#59636e'
const LINE = '#d1d9e0'

/** Told apart without red against green, and by their brightness too. */
export const BLUE = '#0072b2'
export const ORANGE = '#d55e00'
export const GREY = '#8c959f'
/** Of series, in their order. */
export const SERIES_COLOURS = [BLUE, ORANGE, '#009e73', '#cc79a7', INK] as const
export const SERIES_SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'cross'] as const

const config: Config = {
  font: FONT,
  view: { stroke: null },
  axis: {
    labelColor: INK,
    labelFontSize: 11,
    labelLimit: 420,
    titleColor: INK,
    titleFontSize: 11,
    titlePadding: 8,
    titleFontWeight: 'normal',
    domainColor: FAINT,
    tickColor: FAINT,
    gridColor: LINE,
    // Steps between pixels look different from one viewer to the next.
    tickRound: true,
  },
  legend: { labelColor: INK, labelFontSize: 11, labelLimit: 420, titleColor: INK, orient: 'bottom', title: null },
  text: { color: INK, fontSize: 11 },
  // Without, every mark says in words what it shows, which doubles the file; the page has the figures as a table.
  aria: false,
}

/** Words around a chart. */
export interface Frame {
  readonly title: string
  readonly subtitle: string
}

/** Puts a frame around what is drawn. */
export function framed({ title, subtitle }: Frame, content: TopLevelSpec): TopLevelSpec {
  return {
    ...content,
    background: 'white',
    padding: 12,
    title: {
      text: title,
      subtitle,
      anchor: 'start',
      frame: 'bounds',
      color: INK,
      fontSize: 14,
      subtitleColor: FAINT,
      subtitleFontSize: 11,
      offset: 12,
    },
    config,
  }
}
