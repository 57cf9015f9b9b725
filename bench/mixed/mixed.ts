/** The chapter about reading, writing, querying and listening at the same time. */
import type { Chapter } from '../harness/part.ts'
import { TOLERATED } from './knee.ts'
import { WATCHED } from './mix.ts'
import { stepsPart } from './steps.ts'

export const mixedChapter: Chapter = {
  title: 'All at once',
  counted: 'clients',
  parts: [stepsPart],
  describe: ({ rounds, stepSeconds, mixedSize, mixedStreams }) =>
    `${rounds} rounds, ${stepSeconds} s of each step. 90 % GET, 8 % PUT of a leaf, 2 % queries for 20 of ${mixedSize} children, over HTTP/1.1; each client has one request under way and sends the next when it has its answer. ${mixedStreams} streams listen to ${WATCHED} leaves, which half of the writes go to. The knee is the last number of clients before the 99th percentile of GET exceeds ${TOLERATED} times that of one client which reads while nobody writes. Server and clients share the cores, so it is the knee of both together.`,
}
