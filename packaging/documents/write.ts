/** `bun run documents`: writes everything in the documents that is made from the code. */
import { generatedBlocks, generatedFiles } from './generated.ts'
import { writeBlock } from './page-block.ts'

for (const { page, name, make } of generatedBlocks) await writeBlock(page, name, await make())
for (const { file, make } of generatedFiles) await Bun.write(new URL(`../../${file}`, import.meta.url), await make())
