/** The chapter about reading. */
import type { Chapter } from '../harness/part.ts'
import { describeLoads } from '../load/operations.ts'
import { embeddedPart } from './embedded.ts'
import { protocolsPart } from './protocols.ts'
import { servedPart } from './served.ts'

export const readChapter: Chapter = {
  title: 'Reading',
  counted: 'leaves',
  parts: [protocolsPart, servedPart, embeddedPart],
  describe: (settings) => describeLoads(settings, ['getLeaf', 'getLeafMultiplexed', 'getObject', 'getLarge']),
}
