import { expect, test } from 'bun:test'
import { generatedBlocks, generatedFiles } from '../../../packaging/documents/generated.ts'
import { readBlock } from '../../../packaging/documents/page-block.ts'

const ADVICE = 'run `bun run documents`'

test.each(generatedBlocks)('the block "$name" of $page is what the code says', async ({ page, name, make }) => {
  expect(await readBlock(page, name), ADVICE).toBe(await make())
})

test.each(generatedFiles)('$file is what the code says', async ({ file, make }) => {
  expect(await Bun.file(new URL(`../../../${file}`, import.meta.url)).text(), ADVICE).toBe(await make())
})
