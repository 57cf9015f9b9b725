/** The chapter about what becomes of costs when there is more of everything. */
import type { Chapter } from '../harness/part.ts'
import { describeLoads } from '../load/operations.ts'
import { requestsPart } from './requests.ts'
import { subscribersPart } from './subscribers.ts'

export const growthChapter: Chapter = {
  title: 'Growth',
  counted: 'leaves, children or subscribers',
  parts: [requestsPart, subscribersPart],
  describe: (settings) => describeLoads(settings, ['getLeaf', 'putLeaf', 'queryFrom']),
}
