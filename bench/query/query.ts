/** The chapter about ordered queries. */
import type { Chapter } from '../harness/part.ts'
import { describeLoads } from '../load/operations.ts'
import { acebasePart } from './acebase.ts'
import { embeddedPart } from './embedded.ts'
import { firstPart } from './first.ts'
import { servedPart } from './served.ts'
import { writesPart } from './writes.ts'

export const queryChapter: Chapter = {
  title: 'Querying',
  counted: 'children',
  parts: [embeddedPart, servedPart, firstPart, writesPart, acebasePart],
  describe: (settings) => describeLoads(settings, ['queryFirst', 'queryFrom', 'queryMalformed', 'queryUnindexed']),
}
