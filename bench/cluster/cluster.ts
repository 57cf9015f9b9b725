/** The chapter about several server processes on one PostgreSQL. */
import { availableParallelism } from 'node:os'
import { whyNoOwnPostgres } from '../../test/support/postgres/owned-server.ts'
import type { Chapter } from '../harness/part.ts'
import { whyNoPostgres } from '../harness/postgres.ts'
import { describeLoads } from '../load/operations.ts'
import { eventsPart } from './events.ts'
import { failoverPart } from './failover.ts'
import { processesPart } from './processes.ts'

export const clusterChapter: Chapter = {
  title: 'Several processes on one PostgreSQL',
  counted: 'leaves or children',
  // A standby needs the programs, whatever database is given.
  parts: [eventsPart, processesPart, ...(whyNoOwnPostgres === undefined ? [failoverPart] : [])],
  missing: whyNoPostgres,
  describe: (settings) =>
    `${describeLoads(settings, ['putLeaf', 'getLeafWide'])} The processes, PostgreSQL and the load share ${availableParallelism()} cores, which bound what two processes serve.`,
}
