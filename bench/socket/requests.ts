/** What a request over a socket costs the server. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Contest, type Figures, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { compareCpu, compareRate, cpuOf } from '../load/https.ts'
import type { LoadFigures } from '../load/load.ts'
import type { Goal, Row } from '../report/row.ts'
import { bareSockets } from '../targets/bare-sockets.ts'
import { dholeSockets } from '../targets/dhole-sockets.ts'
import type { Target } from '../targets/target.ts'
import type { SocketLoad, SocketLoadRequest } from './requests-load.ts'

const ANSWERED: Goal = { kind: 'at least', bound: 0.8 }
const ABOVE_STORE: Goal = { kind: 'at most', bound: 5 }
const BURST: Goal = { kind: 'at least', bound: 1 }

const CONNECTIONS = 64
/** Servers that run side by side at most. */
const DATA_DIRS = 5
/** Under way on each connection. */
const DEPTHS = [1, 16] as const

/** One server and what is asked of it. */
interface Contestant extends Pick<SocketLoad, 'kind' | 'connections' | 'depth'> {
  /** Of the variant. */
  readonly name: string
  readonly target: Target
}

const echoName = (depth: number) => `socket echo ${depth}`
const statsName = (depth: number) => `socket stats ${depth}`
const PUT = 'socket put'
const EMBEDDED = 'socket put embedded'
const BARE_PUT = 'socket put bare'
const BURSTS = 'socket burst'
const REST = 'socket burst over rest'

export const requestsPart: Part = {
  quick: true,
  variants: (workspace, settings) => [
    ...depthsOf(settings).map((depth) => statsContest(workspace, settings, depth)),
    contest(workspace, settings, 'writes over sockets', (dataDirs) => {
      const target = (index: number) =>
        dholeSockets({ certificate: workspace.certificate, dataDir: dataDirs[index] ?? '' })
      const connections = CONNECTIONS
      const bare = bareSockets({
        certificate: workspace.certificate,
        kind: 'send',
        writtenTo: dataDirs[4] ?? '',
      })
      return [
        { name: PUT, target: target(0), kind: 'put', connections, depth: 1 },
        { name: BARE_PUT, target: bare, kind: 'put', connections, depth: 1 },
        { name: EMBEDDED, target: target(1), kind: 'embedded', connections, depth: 1 },
        { name: BURSTS, target: target(2), kind: 'burst', connections: 1, depth: settings.burst },
        { name: REST, target: target(3), kind: 'rest', connections, depth: settings.burst },
      ]
    }),
  ],
  rows: (samples, settings) => [
    ...depthsOf(settings).map((depth): Row => {
      const inFlight = depth === 1 ? 'one under way' : `${depth} under way`
      return {
        name: statsName(depth),
        operation: `request with counters, ${inFlight} on each of ${CONNECTIONS} connections, echo over it`,
        size: undefined,
        ...compareCpu(samples, statsName(depth), echoName(depth), 'echo of Bun.serve'),
        goal: depth === 1 ? ANSWERED : undefined,
      }
    }),
    putRow(samples, EMBEDDED, 'the same write embedded', `${CONNECTIONS} at once, embedded,`),
    putRow(samples, BARE_PUT, 'a bare socket and the same write', 'Bun.serve, then database,'),
    {
      name: BURSTS,
      operation: `${settings.burst} writes at once on one connection, their rate over limit`,
      size: undefined,
      ...compareRate(samples, BURSTS, REST, `PUT over HTTPS on ${CONNECTIONS} connections`),
      goal: BURST,
    },
  ],
}

function depthsOf({ quick }: Settings): readonly number[] {
  return quick ? DEPTHS.slice(0, 1) : DEPTHS
}

function statsContest(workspace: Workspace, settings: Settings, depth: number): Contest {
  const { certificate } = workspace
  return contest(workspace, settings, `requests with counters, ${depth} under way`, ([dataDir = '']) => [
    { name: echoName(depth), target: bareSockets({ certificate, kind: 'echo' }), ...loadOf(depth) },
    { name: statsName(depth), target: dholeSockets({ certificate, dataDir }), ...loadOf(depth) },
  ])
}

function loadOf(depth: number): Pick<SocketLoad, 'kind' | 'connections' | 'depth'> {
  return { kind: 'stats', connections: CONNECTIONS, depth }
}

/** Servers that run side by side, each on an empty directory of its own, and are asked in turns. */
function contest(
  workspace: Workspace,
  settings: Settings,
  name: string,
  contestants: (dataDirs: readonly string[]) => readonly Contestant[],
): Contest {
  return {
    name,
    compete: () =>
      workspace.withScratch((scratchDir) => {
        const dataDirs = Array.from({ length: DATA_DIRS }, (_, index) => `${scratchDir}/${index}`)
        return askInTurns(contestants(dataDirs), settings)
      }),
  }
}

async function askInTurns(
  contestants: readonly Contestant[],
  { seconds, turns, warmSeconds }: Settings,
): Promise<Readonly<Record<string, Figures>>> {
  await using servers = new AsyncDisposableStack()
  const loads: SocketLoad[] = []
  for (const { target, name: _, ...load } of contestants) {
    const { url, pid, control, stop } = await target.start()
    servers.defer(stop)
    loads.push({ url, pid, control, ...load })
  }
  const request: SocketLoadRequest = { loads, seconds, turns, warmSeconds }
  const figures = await askChild<LoadFigures[]>('socket/requests-load.ts', request)
  return Object.fromEntries(contestants.map(({ name }, index) => [name, { ...figures[index] }]))
}

function putRow(samples: Samples, limit: string, above: string, title: string): Row {
  const [ours, theirs] = [samples.get(PUT, 'cpuUs'), samples.get(limit, 'cpuUs')]
  return {
    name: `${PUT} to ${limit}`,
    operation: `write by each of ${CONNECTIONS} connections, above ${above}`,
    size: undefined,
    measured: cpuOf(samples, PUT),
    limit: { title, ...cpuOf(samples, limit) },
    judged: spread(ours.map((us, round) => us - (theirs[round] ?? Number.NaN))),
    unit: 'us CPU',
    goal: ABOVE_STORE,
  }
}
