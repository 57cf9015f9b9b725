/** Draws a chart as SVG, without a browser or a canvas. */
import * as vega from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'

/** Of a letter of the fonts the charts name, or of the wider one that stands in for them, in units of their size. */
const LETTER_WIDTH = 0.58

/** Its types leave this out; the function is there to be replaced. */
interface TextMetrics {
  width(item: { readonly fontSize?: number; readonly text?: unknown }, text?: unknown): number
}

const { textMetrics } = vega as typeof vega & { readonly textMetrics: TextMetrics }
// What is estimated is the same on every machine; the estimate it would make by itself leaves half of the page empty.
textMetrics.width = ({ fontSize = 11, text: own }, text = own) => {
  const lines = Array.isArray(text) ? text.map(String) : [String(text ?? '')]
  return Math.max(...lines.map(({ length }) => Math.round(length * fontSize * LETTER_WIDTH)))
}

/** The text of the image. The same chart gives the same text. */
export async function draw(spec: TopLevelSpec): Promise<string> {
  const view = new vega.View(vega.parse(compile(spec).spec), { renderer: 'none' })
  try {
    return `${await view.toSVG()}\n`
  } finally {
    view.finalize()
  }
}
