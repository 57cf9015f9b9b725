/** The chapter about memory. */
import type { Chapter } from '../harness/part.ts'
import { readPart } from './read.ts'

export const memoryChapter: Chapter = {
  title: 'Memory',
  counted: 'leaves',
  parts: [readPart],
  describe: ({ rounds, seconds }) =>
    `${rounds} rounds; resident memory of the server at rest, and after ${seconds / 2} s of each way to read: leaves in 512 and in 20,000 places, leaves over HTTP/2, 1 KB, 1 MB.`,
}
