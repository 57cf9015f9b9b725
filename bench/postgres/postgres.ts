/** The chapter about trees on PostgreSQL, beside the same on SQLite. */
import type { Chapter } from '../harness/part.ts'
import { whyNoPostgres } from '../harness/postgres.ts'
import { describeLoads } from '../load/operations.ts'
import { growthPart } from './growth.ts'
import { oneClientPart } from './one-client.ts'
import { ruledPart } from './ruled.ts'
import { servedPart } from './served.ts'

export const postgresChapter: Chapter = {
  title: 'PostgreSQL',
  counted: 'leaves or children',
  parts: [servedPart, ruledPart, oneClientPart, growthPart],
  missing: whyNoPostgres,
  describe: (settings) =>
    `${describeLoads(settings, ['putLeaf', 'getLeafWide', 'queryFirst', 'queryFrom', 'putDraft'])} PostgreSQL is on the same machine; processor time is that of Dhole's process alone.`,
}
