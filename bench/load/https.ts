/** Measuring over HTTPS: servers and one load generator, each a process of its own. */
import { askChild } from '../harness/child.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import { type Figure, figure, type Row } from '../report/row.ts'
import type { Running, Target } from '../targets/target.ts'
import type { Credential } from './credential.ts'
import type { Load, LoadFigures, LoadRequest } from './load.ts'
import type { OperationName } from './operations.ts'

/** Runs `measure` against the server and stops it. */
export async function withServer<T>(target: Target, measure: (running: Running) => Promise<T>): Promise<T> {
  const running = await target.start()
  try {
    return await measure(running)
  } finally {
    await running.stop()
  }
}

/** One server and what is asked of it. */
export interface Contestant {
  /** Of the variant. */
  readonly name: string
  readonly target: Target
  readonly operation: OperationName
  readonly size: number
  readonly credential?: Credential
  /** What is done with the server before it is asked anything. Default: nothing. */
  before?(running: Running): Promise<void>
}

/** Loads of several servers that run side by side and are asked in turns: figures by name. The same target is one server. */
export async function loadInTurns(
  contestants: readonly Contestant[],
  settings: Settings,
): Promise<Readonly<Record<string, Figures>>> {
  await using servers = new AsyncDisposableStack()
  const started = new Map<Target, Promise<Running>>()
  const start = async (target: Target) => {
    const running = await target.start()
    servers.defer(() => running.stop())
    return running
  }
  const loads = await Promise.all(
    contestants.map(async (contestant): Promise<Load> => {
      const { target, operation, size, credential } = contestant
      const starting = started.get(target) ?? start(target)
      started.set(target, starting)
      const running = await starting
      await contestant.before?.(running)
      return { url: running.url, pid: running.pid, operation, size, credential }
    }),
  )
  const figures = await askForLoads(loads, settings)
  return Object.fromEntries(contestants.map(({ name }, index) => [name, figures[index] ?? {}]))
}

/** The load of one operation on one target. */
export async function load(
  target: Target,
  operation: OperationName,
  size: number,
  settings: Settings,
): Promise<Figures> {
  return withServer(target, (running) => loadRunning(running, { operation, size }, settings))
}

/** The load of one operation on a server that runs already. */
export async function loadRunning(
  { url, pid }: Running,
  what: Pick<Load, 'operation' | 'size' | 'credential'>,
  settings: Settings,
): Promise<Figures> {
  const [figures = {}] = await askForLoads([{ url, pid, ...what }], settings)
  return figures
}

/** Several operations one after the other on one server, each once. */
export async function loadEach(
  { url, pid }: Running,
  operations: readonly OperationName[],
  size: number,
  seconds: number,
): Promise<void> {
  const loads = operations.map((operation) => ({ url, pid, operation, size }))
  await askForLoads(loads, { seconds, turns: 1, warmSeconds: 0 })
}

async function askForLoads(
  loads: readonly Load[],
  { seconds, turns, warmSeconds }: Pick<Settings, 'seconds' | 'turns' | 'warmSeconds'>,
): Promise<readonly Figures[]> {
  const request: LoadRequest = { loads, seconds, turns, warmSeconds }
  const answers = await askChild<LoadFigures[]>('load/load.ts', request)
  return answers.map(({ perSecond, cpuUs }) => ({ perSecond, cpuUs }))
}

/** The cells of a row that compares two variants by the processor time of the server. */
export function compareCpu(
  samples: Samples,
  subject: string,
  limit: string,
  limitTitle = 'Bun.serve',
): Pick<Row, 'measured' | 'limit' | 'judged' | 'unit'> {
  return {
    measured: cpuOf(samples, subject),
    limit: { title: limitTitle, ...cpuOf(samples, limit) },
    judged: spread(ratios(samples.get(limit, 'cpuUs'), samples.get(subject, 'cpuUs'))),
    unit: 'x',
  }
}

/** The cells of a row that compares two variants by requests per second, where the server's process is not all that works. */
export function compareRate(
  samples: Samples,
  subject: string,
  limit: string,
  limitTitle: string,
): Pick<Row, 'measured' | 'limit' | 'judged' | 'unit'> {
  return {
    measured: rateOf(samples, subject),
    limit: { title: limitTitle, ...rateOf(samples, limit) },
    judged: spread(ratios(samples.get(subject, 'perSecond'), samples.get(limit, 'perSecond'))),
    unit: 'x',
  }
}

function rateOf(samples: Samples, variant: string): Figure {
  return {
    ...figure(samples.get(variant, 'perSecond'), '/s'),
    beside: figure(samples.get(variant, 'cpuUs'), 'us CPU'),
  }
}

/** Processor time of the server for one request, and requests per second. */
export function cpuOf(samples: Samples, variant: string): Figure {
  return {
    ...figure(samples.get(variant, 'cpuUs'), 'us CPU'),
    beside: figure(samples.get(variant, 'perSecond'), '/s'),
  }
}
