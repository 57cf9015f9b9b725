/** The chapter about starting. */
import type { Chapter } from '../harness/part.ts'
import { startPart } from './start.ts'

export const startupChapter: Chapter = {
  title: 'Starting',
  counted: 'bytes',
  parts: [startPart],
  describe: ({ rounds, starts }) =>
    `${rounds} rounds of ${starts} starts each; time by the clock from starting the process to the first answer.`,
}
