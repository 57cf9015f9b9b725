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
/** Code is compiled in threads whose time counts. */
const WARMER = 2
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
const PIPELINED = 'socket put pipelined'
const PACKET = 'socket put packet'
const EMBEDDED = 'socket put embedded'
const BARE_PUT = 'socket put bare'
const BARE_PIPELINED = 'socket put bare pipelined'
const BURSTS = 'socket burst'
const REST = 'socket burst over rest'

export const requestsPart: Part = {
  quick: true,
  variants: (workspace, settings) => [
    ...depthsOf(settings).map((depth) => statsContest(workspace, settings, depth)),
    writesContest(workspace, settings),
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
    ...(settings.quick ? [] : aboveRows(samples)),
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
  const load = { kind: 'stats', connections: CONNECTIONS, depth } as const
  return contest(workspace, settings, `requests with counters, ${depth} under way`, (newDir) => [
    { name: echoName(depth), target: bareSockets({ certificate, kind: 'echo' }), ...load },
    { name: statsName(depth), target: dholeSockets({ certificate, dataDir: newDir() }), ...load },
  ])
}

function writesContest(workspace: Workspace, settings: Settings): Contest {
  const { certificate } = workspace
  const connections = CONNECTIONS
  const { burst, quick } = settings
  return contest(workspace, settings, 'writes over sockets', (newDir) => {
    const dhole = () => dholeSockets({ certificate, dataDir: newDir() })
    const bare = () => bareSockets({ certificate, kind: 'send', writtenTo: newDir() })
    const bursts: Contestant[] = [
      { name: BURSTS, target: dhole(), kind: 'burst', connections: 1, depth: burst },
      { name: REST, target: dhole(), kind: 'rest', connections, depth: burst },
    ]
    if (quick) return bursts
    return [
      ...bursts,
      { name: PUT, target: dhole(), kind: 'put', connections, depth: 1 },
      { name: BARE_PUT, target: bare(), kind: 'put', connections, depth: 1 },
      { name: PIPELINED, target: dhole(), kind: 'put', connections: 1, depth: connections },
      { name: BARE_PIPELINED, target: bare(), kind: 'put', connections: 1, depth: connections },
      { name: PACKET, target: dhole(), kind: 'burst', connections: 1, depth: connections },
      { name: EMBEDDED, target: dhole(), kind: 'embedded', connections, depth: 1 },
    ]
  })
}

/** Servers that run side by side, each on an empty directory of its own, and are asked in turns. */
function contest(
  workspace: Workspace,
  settings: Settings,
  name: string,
  contestants: (newDir: () => string) => readonly Contestant[],
): Contest {
  return {
    name,
    compete: () =>
      workspace.withScratch((scratchDir) => {
        let count = 0
        return askInTurns(
          contestants(() => `${scratchDir}/${count++}`),
          settings,
        )
      }),
  }
}

async function askInTurns(
  contestants: readonly Contestant[],
  { seconds, turns, warmSeconds, quick }: Settings,
): Promise<Readonly<Record<string, Figures>>> {
  await using servers = new AsyncDisposableStack()
  const loads: SocketLoad[] = []
  for (const { target, name: _, ...load } of contestants) {
    const { url, pid, control, stop } = await target.start()
    servers.defer(stop)
    loads.push({ url, pid, control, ...load })
  }
  const request: SocketLoadRequest = { loads, seconds, turns, warmSeconds: warmSeconds * (quick ? 1 : WARMER) }
  const figures = await askChild<LoadFigures[]>('socket/requests-load.ts', request)
  return Object.fromEntries(contestants.map(({ name }, index) => [name, { ...figures[index] }]))
}

/** In a quick run the disk and code that is not compiled yet cost more than what is compared. */
function aboveRows(samples: Samples): Row[] {
  const embedded = `${CONNECTIONS} at once, embedded,`
  const bare = 'Bun.serve, then database,'
  return [
    aboveRow(samples, PACKET, EMBEDDED, {
      operation: `write, ${CONNECTIONS} at once on one connection, above the same write embedded`,
      limit: embedded,
      goal: ABOVE_STORE,
    }),
    aboveRow(samples, PIPELINED, BARE_PIPELINED, {
      operation: `write, ${CONNECTIONS} under way on one connection, above a bare socket and the same write`,
      limit: bare,
      goal: ABOVE_STORE,
    }),
    aboveRow(samples, PIPELINED, EMBEDDED, {
      operation: `write, ${CONNECTIONS} under way on one connection, above the same write embedded`,
      limit: embedded,
    }),
    aboveRow(samples, PUT, BARE_PUT, {
      operation: `write by each of ${CONNECTIONS} connections, above a bare socket and the same write`,
      limit: bare,
      goal: ABOVE_STORE,
    }),
    aboveRow(samples, PUT, EMBEDDED, {
      operation: `write by each of ${CONNECTIONS} connections, above the same write embedded`,
      limit: embedded,
    }),
  ]
}

interface Words {
  readonly operation: string
  readonly limit: string
  readonly goal?: Goal
}

/** What a write costs more than another. */
function aboveRow(samples: Samples, subject: string, limit: string, words: Words): Row {
  const [ours, theirs] = [samples.get(subject, 'cpuUs'), samples.get(limit, 'cpuUs')]
  return {
    name: `${subject} to ${limit}`,
    operation: words.operation,
    size: undefined,
    measured: cpuOf(samples, subject),
    limit: { title: words.limit, ...cpuOf(samples, limit) },
    judged: spread(ours.map((us, round) => us - (theirs[round] ?? Number.NaN))),
    unit: 'us CPU',
    goal: words.goal,
  }
}
