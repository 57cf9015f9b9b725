/** The chapter about streams with many listeners. */
import type { Chapter } from '../harness/part.ts'
import { nchan } from '../peers/nchan.ts'
import { describePeer } from '../peers/peer.ts'
import { deliveryPart } from './delivery.ts'
import { embeddedPublishPart } from './embedded.ts'
import { memoryPart } from './memory.ts'
import { nchanPart } from './nchan.ts'
import { othersPart } from './others.ts'

export const fanOutChapter: Chapter = {
  title: 'Fan-out',
  counted: 'subscribers',
  parts: [deliveryPart, memoryPart, othersPart, embeddedPublishPart, nchanPart],
  describe: ({ quick, rounds, publishSeconds }) =>
    `${rounds} rounds, ${publishSeconds} s of publishing each; messages of 100 bytes. ${quick ? 'nchan: in a full run only.' : describePeer(nchan)}`,
}
