/** `bun run bench:charts`: draws the charts and fills the documents from the results that are kept. It measures nothing. */
import { rm } from 'node:fs/promises'
import { writeBlock } from '../../packaging/documents/page-block.ts'
import { drawAll, drawingFile } from './charts.ts'
import { keptResults } from './kept-results.ts'
import { pageBlocks } from './page-blocks.ts'

/** @param tell told of each chart */
export async function redraw(tell: (news: string) => void): Promise<void> {
  const file = await keptResults()
  const drawings = await drawAll(file.results)
  for (const drawing of drawings) {
    const { svg } = drawing
    if (svg === undefined) {
      // One of an earlier run would be taken for one of this.
      await rm(drawingFile(drawing), { force: true })
      tell(`${drawing.file}: not drawn, the results have nothing of it`)
    } else {
      await Bun.write(drawingFile(drawing), svg)
      tell(`${drawing.file}: drawn`)
    }
  }
  for (const { page, name, make } of pageBlocks) {
    await writeBlock(page, name, make(file, drawings))
    tell(`${page}: filled`)
  }
}

if (import.meta.main) await redraw((news) => console.log(news))
