/** The chapter about what people would use instead. */
import type { Chapter } from '../harness/part.ts'
import { dhole } from './dhole.ts'
import { rivals } from './list-peers.ts'
import { listsPart, timesOf } from './lists.ts'
import { describePeer } from './peer.ts'
import { CONNECTIONS } from './work.ts'

export const peersChapter: Chapter = {
  title: 'Against others',
  counted: 'children',
  parts: [listsPart],
  describe(settings) {
    const { seconds, turns } = timesOf(settings)
    const peers = [dhole, ...rivals].map((peer) => `- ${describePeer(peer)}`)
    const loads = `${settings.rounds} rounds, ${seconds} s of each load in ${turns} turns, ${CONNECTIONS} connections.`
    return `${loads}\n\n${peers.join('\n')}`
  },
}
