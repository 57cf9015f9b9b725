/** The chapter about writing. */
import type { Chapter } from '../harness/part.ts'
import { describeLoads } from '../load/operations.ts'
import { embeddedPart } from './embedded.ts'
import { servedPart } from './served.ts'
import { singlesPart } from './singles.ts'

export const writeChapter: Chapter = {
  title: 'Writing',
  counted: 'leaves',
  parts: [servedPart, singlesPart, embeddedPart],
  describe: (settings) => describeLoads(settings, ['putLeaf', 'putObject', 'putLarge']),
}
