/** What requests over HTTPS cost on PostgreSQL, beside the same on SQLite. */
import type { Part } from '../harness/part.ts'
import { type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { type Contestant, compareCpu, compareRate, cpuOf, loadInTurns } from '../load/https.ts'
import type { OperationName } from '../load/operations.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import { bareServe } from '../targets/bare-serve.ts'
import { dholeServer } from '../targets/dhole.ts'
import { alternating, prepareBoth, withBoth } from './trees.ts'

interface Operation {
  readonly name: string
  readonly title: string
  readonly operation: OperationName
  readonly reads?: 'recent'
  readonly cold?: true
  /** Requests per second over those on SQLite. */
  readonly goal?: Goal
  readonly quick?: true
}

const HOT = 'hot, fresh'
const COLD = 'cold'
const QUERY = 'query hot'
const OPERATIONS: readonly Operation[] = [
  {
    name: 'put',
    title: 'PUT leaf, 64 clients',
    operation: 'putLeaf',
    goal: { kind: 'at least', bound: 0.6 },
    quick: true,
  },
  {
    name: HOT,
    title: 'GET leaf hot, 64 connections, READS=fresh',
    operation: 'getLeafWide',
    goal: { kind: 'at least', bound: 0.8 },
    quick: true,
  },
  {
    name: 'hot, recent',
    title: 'GET leaf hot, 64 connections, READS=recent',
    operation: 'getLeafWide',
    reads: 'recent',
    // 1.0, but for what rounds differ by.
    goal: { kind: 'at least', bound: 0.95 },
  },
  { name: COLD, title: 'GET leaf cold, 64 connections', operation: 'getLeafWide', cold: true },
  { name: QUERY, title: 'GET 20 by child, limitToFirst, hot', operation: 'queryFirst' },
  { name: 'query cold', title: 'GET 20 by child, startAt, limitToFirst, cold', operation: 'queryFrom', cold: true },
]
const QUERY_GOAL: Goal = { kind: 'at least', bound: 0.25 }
/** Microseconds. */
const COLD_GOAL: Goal = { kind: 'at most', bound: 30 }

const BARE = 'query bare'
const nameOf = (engine: 'sqlite' | 'postgres', { name }: Pick<Operation, 'name'>) => `${name} ${engine}`

export const servedPart: Part = {
  quick: true,
  prepare: prepareBoth,
  variants: (workspace, settings) =>
    operationsOf(settings).map((asked) => {
      const order = alternating<Contestant>()
      return {
        name: asked.title,
        compete: () =>
          withBoth(workspace, settings.mixedSize, (dataDir, url) =>
            loadInTurns(order(contestants(workspace, settings, asked, dataDir, url)), settings),
          ),
      }
    }),
  rows: (samples, settings) => [
    ...operationsOf(settings).map((asked) => row(samples, asked, settings)),
    ...(settings.quick ? [] : [coldRow(samples, settings), queryRow(samples, settings)]),
  ],
}

function operationsOf({ quick }: Settings): readonly Operation[] {
  return quick ? OPERATIONS.filter((asked) => asked.quick) : OPERATIONS
}

function contestants(
  { certificate }: Workspace,
  { mixedSize: size }: Settings,
  asked: Operation,
  dataDir: string,
  url: string,
): Contestant[] {
  const { operation, reads, cold = false } = asked
  const shared = { certificate, cold, strict: true }
  const database = { url, insecure: true, ...(reads === undefined ? {} : { reads }) }
  return [
    { name: nameOf('sqlite', asked), target: dholeServer({ ...shared, dataDir }), operation, size },
    { name: nameOf('postgres', asked), target: dholeServer({ ...shared, database }), operation, size },
    ...(asked.name === QUERY ? [{ name: BARE, target: bareServe(certificate, 'places'), operation, size }] : []),
  ]
}

function row(samples: Samples, asked: Operation, { mixedSize: size }: Settings): Row {
  const [sqlite, postgres] = [nameOf('sqlite', asked), nameOf('postgres', asked)]
  return {
    name: postgres,
    operation: `${asked.title}, HTTPS`,
    size,
    ...compareRate(samples, postgres, sqlite, 'SQLite'),
    goal: asked.goal,
  }
}

/** What a statement costs the process that asks: that of the database is another. */
function coldRow(samples: Samples, { mixedSize: size }: Settings): Row {
  const [cold, hot] = [nameOf('postgres', { name: COLD }), nameOf('postgres', { name: HOT })]
  const added = samples.get(cold, 'cpuUs').map((us, round) => us - (samples.get(hot, 'cpuUs')[round] ?? Number.NaN))
  return {
    name: 'cold over hot',
    operation: 'what GET leaf cold adds to GET leaf hot, HTTPS',
    size,
    measured: figure(samples.get(cold, 'cpuUs'), 'us CPU'),
    limit: { title: 'hot', ...figure(samples.get(hot, 'cpuUs'), 'us CPU') },
    judged: spread(added),
    unit: 'us CPU',
    goal: COLD_GOAL,
  }
}

function queryRow(samples: Samples, { mixedSize: size }: Settings): Row {
  const query = nameOf('postgres', { name: QUERY })
  return {
    name: 'query against bare',
    operation: 'GET 20 by child, limitToFirst, hot, HTTPS, against Bun.serve',
    size,
    ...compareCpu(samples, query, BARE),
    measured: cpuOf(samples, query),
    goal: QUERY_GOAL,
  }
}
