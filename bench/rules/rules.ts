/** The chapter about rules, credentials and applications. */
import type { Chapter } from '../harness/part.ts'
import { rulesApplicationsPart } from './applications.ts'
import { rulesEmbeddedPart } from './embedded.ts'
import { rulesFilesPart } from './files.ts'
import { rulesReadPart } from './read.ts'
import { rulesStreamsPart } from './streams.ts'
import { rulesTokensPart } from './tokens.ts'
import { rulesWritePart } from './write.ts'

export const rulesChapter: Chapter = {
  title: 'Rules, credentials and applications',
  counted: 'rules, streams or applications',
  parts: [
    rulesReadPart,
    rulesWritePart,
    rulesEmbeddedPart,
    rulesTokensPart,
    rulesFilesPart,
    rulesStreamsPart,
    rulesApplicationsPart,
  ],
  describe: ({ rounds, seconds, publishSeconds }) =>
    `${rounds} rounds, ${seconds} s of load each, ${publishSeconds} s of publishing; 16 connections that read, 64 that write, a user each.`,
}
