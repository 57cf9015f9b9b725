/** What a mix of requests costs and how long it takes, with more and more clients. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { type Figure, figure, type Goal, type Row } from '../report/row.ts'
import { bareMix } from '../targets/bare-mix.ts'
import { dholeServer } from '../targets/dhole.ts'
import type { Target } from '../targets/target.ts'
import { kneeOf } from './knee.ts'
import type { MixedLoadFigures, MixedLoadRequest, Step } from './mixed-load.ts'

const DHOLE = 'mixed dhole'
const BARE = 'mixed bare'
/** Where figures of the knee stand, beside those of each number of clients. */
const KNEE = 'knee'
/** Clients at which the 99th percentile of GET has a goal, and how many times that of the limit it may be. */
const JUDGED_CLIENTS = 12
const P99_GOAL: Goal = { kind: 'at most', bound: 2.5 }
const HOLD = 'p99 of the time that a commit holds the loop'
const COMMIT_GOAL: Goal = { kind: 'at most', bound: 1 }
const KNEE_GOAL: Goal = { kind: 'at least', bound: 16 }

type StepFigure = keyof Step
const at = (name: StepFigure, where: number | typeof KNEE) => `${name} ${where}`

/** One figure of both servers. */
interface Told {
  readonly name: string
  readonly operation: string
  readonly size?: number
  /** As the samples have it. */
  readonly key: string
  readonly unit: string
  readonly beside?: { readonly title?: string; readonly key: string; readonly unit: string }
  /** How it is held against the limit; `longer`: in units of it. Default: not at all, the figure itself is judged. */
  readonly better?: 'more' | 'less' | 'longer'
  /** The limit has no such figure. */
  readonly isAlone?: true
  readonly goal?: Goal
}

export const stepsPart: Part = {
  quick: true,
  prepare: (workspace, { mixedSize }) => workspace.build('mixed', [mixedSize]),
  variants: (workspace, settings) => [
    {
      name: 'mixed',
      compete: () =>
        workspace.withCopy(workspace.mixed(settings.mixedSize), (dataDir) => compete(workspace, dataDir, settings)),
    },
  ],
  rows: (samples, settings) =>
    [...kneeTold(), ...settings.mixedClients.flatMap(stepTold)].map((told) => row(samples, told, settings)),
}

async function compete(
  { certificate }: Workspace,
  dataDir: string,
  settings: Settings,
): Promise<Readonly<Record<string, Figures>>> {
  const { quick, mixedSize: size, mixedStreams: streams, mixedClients: clients, stepSeconds, warmSeconds } = settings
  const targets: Record<string, Target> = {
    [DHOLE]: dholeServer({ certificate, dataDir, strict: true, commits: true }),
  }
  if (!quick) targets[BARE] = bareMix({ certificate, size })
  await using running = new AsyncDisposableStack()
  const servers: MixedLoadRequest['servers'][number][] = []
  for (const [name, target] of Object.entries(targets)) {
    const { url, pid, stop } = await target.start()
    running.defer(stop)
    servers.push({ url, pid, commits: name === DHOLE })
  }
  const request: MixedLoadRequest = { servers, size, streams, clients, stepSeconds, warmSeconds }
  const figures = await askChild<MixedLoadFigures[]>('mixed/mixed-load.ts', request)
  return Object.fromEntries(figures.map((each, index) => [Object.keys(targets)[index], figuresOf(each)]))
}

function figuresOf({ idleP50Ms, idleP99Ms, steps }: MixedLoadFigures): Figures {
  const figures: Record<string, number> = { idleP50Ms, idleP99Ms }
  const keep = (step: Step, where: number | typeof KNEE) => {
    for (const [name, value] of Object.entries(step)) figures[at(name as StepFigure, where)] = value
  }
  for (const step of steps) keep(step, step.clients)
  keep(kneeOf(steps, idleP99Ms), KNEE)
  return figures
}

function kneeTold(): Told[] {
  const key = (name: StepFigure) => at(name, KNEE)
  const percentiles = (kind: 'get' | 'put') =>
    ({ key: key(`${kind}P99Ms`), unit: 'ms', beside: { title: 'p50', key: key(`${kind}P50Ms`), unit: 'ms' } }) as const
  return [
    { name: 'mixed knee', operation: 'the knee', key: key('clients'), unit: 'clients', goal: KNEE_GOAL },
    {
      name: 'mixed knee requests',
      operation: 'requests at the knee',
      key: key('perSecond'),
      unit: '/s',
      better: 'more',
    },
    {
      name: 'mixed knee CPU',
      operation: 'processor time of a request at the knee',
      key: key('cpuUs'),
      unit: 'us CPU',
      better: 'less',
    },
    { name: 'mixed knee GET', operation: 'p99 of GET at the knee', ...percentiles('get') },
    { name: 'mixed knee PUT', operation: 'p99 of PUT at the knee', ...percentiles('put') },
    {
      name: 'mixed knee query',
      operation: 'p99 of queries at the knee',
      key: key('queryP99Ms'),
      unit: 'ms',
    },
    {
      name: 'mixed knee deliveries',
      operation: 'messages to streams at the knee',
      key: key('deliveriesPerSecond'),
      unit: '/s',
    },
    {
      name: 'mixed knee delivery',
      operation: 'p99 from sending a write to its message at the knee',
      key: key('deliveryP99Ms'),
      unit: 'ms',
    },
    {
      name: 'mixed idle GET',
      operation: 'p99 of GET, nobody writes',
      size: 1,
      key: 'idleP99Ms',
      unit: 'ms',
      beside: { title: 'p50', key: 'idleP50Ms', unit: 'ms' },
    },
  ]
}

function stepTold(clients: number): Told[] {
  const told = (title: string, name: StepFigure, unit: string): Told => {
    return { name: `mixed ${title} ${clients}`, operation: title, size: clients, key: at(name, clients), unit }
  }
  const isJudged = clients === JUDGED_CLIENTS
  return [
    { ...told('requests', 'perSecond', '/s'), better: 'more' },
    told('GET p50', 'getP50Ms', 'ms'),
    { ...told('GET p99', 'getP99Ms', 'ms'), ...(isJudged && { better: 'longer', goal: P99_GOAL }) },
    told('PUT p50', 'putP50Ms', 'ms'),
    told('PUT p99', 'putP99Ms', 'ms'),
    ...(isJudged ? [{ ...told(HOLD, 'commitP99Ms', 'ms'), isAlone: true as const, goal: COMMIT_GOAL }] : []),
  ]
}

function row(samples: Samples, told: Told, { quick }: Settings): Row {
  const { name, operation, size, unit, key, better, isAlone, goal } = told
  const ours = samples.get(DHOLE, key)
  const shared = { name, operation, size, measured: figureOf(samples, DHOLE, told) }
  const measuredLimit = quick ? 'not in a quick run' : { title: 'Bun.serve', ...figureOf(samples, BARE, told) }
  const limit = isAlone ? undefined : measuredLimit
  if (better === undefined || quick)
    return { ...shared, limit, judged: spread(ours), unit, goal: quick ? undefined : goal }
  const bare = samples.get(BARE, key)
  return {
    ...shared,
    limit,
    judged: spread(better === 'less' ? ratios(bare, ours) : ratios(ours, bare)),
    unit: 'x',
    goal,
  }
}

function figureOf(samples: Samples, variant: string, { key, unit, beside }: Told): Figure {
  const told = figure(samples.get(variant, key), unit)
  if (beside === undefined) return told
  const { title, ...next } = beside
  return { ...told, beside: { ...(title && { title }), ...figure(samples.get(variant, next.key), next.unit) } }
}
