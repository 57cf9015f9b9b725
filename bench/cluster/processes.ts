/** What two processes serve together, beside one that is alone on the same data. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import type { Load } from '../load/load.ts'
import { type OperationName, operations } from '../load/operations.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import type { Running } from '../targets/target.ts'
import { leavesOf, type Pair, preparePair, withPair } from './pair.ts'
import type { TogetherFigures, TogetherRequest } from './together-load.ts'

/** Who is asked at once, and by which share of the clients. */
interface Arrangement {
  readonly name: string
  readonly title: string
  readonly servers: readonly (keyof Pair)[]
  readonly share: number
  /** Requests per second over those of the process that is alone. */
  readonly goal: Goal
}

interface Contest {
  readonly name: string
  readonly operation: OperationName
  readonly arrangements: readonly Arrangement[]
}

const CONTESTS: readonly Contest[] = [
  {
    name: 'reads',
    operation: 'getLeafWide',
    arrangements: [
      {
        name: 'reads two',
        title: 'GET leaf hot, two processes, 64 connections on each',
        servers: ['one', 'other'],
        share: 1,
        goal: { kind: 'at least', bound: 2 },
      },
    ],
  },
  {
    name: 'writes',
    operation: 'putLeaf',
    arrangements: [
      {
        name: 'writes by application',
        title: 'PUT leaf, one application, all 64 clients on one of two processes',
        servers: ['one'],
        share: 1,
        // 1.0, but for what rounds differ by.
        goal: { kind: 'at least', bound: 0.95 },
      },
      {
        name: 'writes by request',
        title: 'PUT leaf, one application, 32 clients on each of two processes',
        servers: ['one', 'other'],
        share: 0.5,
        goal: { kind: 'at least', bound: 0.5 },
      },
      {
        name: 'writes two applications',
        title: 'PUT leaf, two applications, 64 clients on a process of each',
        servers: ['alone', 'second'],
        share: 1,
        goal: { kind: 'at least', bound: 1.7 },
      },
    ],
  },
]
const ALONE: readonly (keyof Pair)[] = ['alone']

const aloneName = ({ name }: Contest) => `${name} alone`

export const processesPart: Part = {
  quick: true,
  prepare: preparePair,
  variants: (workspace, settings) =>
    CONTESTS.map((contest) => ({
      name: `${contest.name} of two processes`,
      compete: () => compete(workspace, settings, contest),
    })),
  rows: (samples, settings) =>
    CONTESTS.flatMap((contest) => contest.arrangements.map((each) => row(samples, settings, contest, each))),
}

function compete(
  workspace: Workspace,
  settings: Settings,
  contest: Contest,
): Promise<Readonly<Record<string, Figures>>> {
  const { operation, arrangements } = contest
  const names = [...new Set([...ALONE, ...arrangements.flatMap(({ servers }) => servers)])]
  return withPair(workspace, names, async (pair) => {
    const loads = (servers: readonly (keyof Pair)[], share: number) =>
      servers.map((name) => loadOf(pair[name], operation, settings, share))
    const groups = [loads(ALONE, 1), ...arrangements.map(({ servers, share }) => loads(servers, share))]
    const { seconds, turns, warmSeconds } = settings
    const request: TogetherRequest = { groups, seconds, turns, warmSeconds }
    const figures = await askChild<TogetherFigures[]>('cluster/together-load.ts', request)
    const variants = [aloneName(contest), ...arrangements.map(({ name }) => name)]
    return Object.fromEntries(variants.map((name, index) => [name, { ...figures[index] }]))
  })
}

function loadOf({ url, pid }: Running, operation: OperationName, settings: Settings, share: number): Load {
  const connections = operations[operation].connections * share
  return { url, pid, operation, size: leavesOf(settings), connections }
}

function row(samples: Samples, settings: Settings, contest: Contest, { name, title, goal }: Arrangement): Row {
  const [ours, alone] = [samples.get(name, 'perSecond'), samples.get(aloneName(contest), 'perSecond')]
  return {
    name,
    operation: `${title}, HTTPS`,
    size: leavesOf(settings),
    measured: figure(ours, '/s'),
    limit: { title: 'one process', ...figure(alone, '/s') },
    judged: spread(ratios(ours, alone)),
    unit: 'x',
    goal,
  }
}
