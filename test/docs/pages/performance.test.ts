import { expect, test } from 'bun:test'
import { drawAll, drawingFile } from '../../../bench/chart/charts.ts'
import { keptResults } from '../../../bench/chart/kept-results.ts'
import { pageBlocks } from '../../../bench/chart/page-blocks.ts'
import { readBlock } from '../../../packaging/documents/page-block.ts'

const file = await keptResults()
const drawings = await drawAll(file.results)

test.each(pageBlocks)('the block "$name" of $page says what the results say', async ({ page, name, make }) => {
  expect(await readBlock(page, name)).toBe(make(file, drawings))
})

test('every chart is what the results draw, and there is no other', async () => {
  const kept = await Array.fromAsync(new Bun.Glob('*.svg').scan(Bun.fileURLToPath(drawingFile({ file: '.' }))))
  const drawn = drawings.filter(({ svg }) => svg !== undefined)
  expect(kept.toSorted()).toEqual(drawn.map(({ file: name }) => name).toSorted())
  for (const drawing of drawn) {
    expect(await Bun.file(drawingFile(drawing)).text(), drawing.file).toBe(drawing.svg ?? '')
  }
})
