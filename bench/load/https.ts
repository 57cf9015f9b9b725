/** Measuring over HTTPS: one server and one load generator, each a process of its own. */
import { askChild } from '../harness/child.ts'
import { type Figures, ratios, type Samples, type Spread, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import { short } from '../report/table.ts'
import type { Running, Target } from '../targets/target.ts'
import type { Credential } from './credential.ts'
import type { LoadFigures, LoadRequest } from './load.ts'
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

/** The load of one operation on one target. */
export async function load(
  target: Target,
  operation: OperationName,
  leaves: number,
  settings: Settings,
): Promise<Figures> {
  return withServer(target, (running) => loadRunning(running, { operation, leaves }, settings))
}

/** The load of one operation on a server that runs already. */
export async function loadRunning(
  { url, pid }: Running,
  what: { readonly operation: OperationName; readonly leaves: number; readonly credential?: Credential | undefined },
  { seconds, warmSeconds }: Settings,
): Promise<Figures> {
  const request: LoadRequest = { url, pid, seconds, warmSeconds, ...what }
  const { perSecond, cpuUs } = await askChild<LoadFigures>('load/load.ts', request)
  return { perSecond, cpuUs }
}

/** The cells of a row that compares two variants by the processor time of the server. */
export function compareCpu(
  samples: Samples,
  subject: string,
  limit: string,
  limitTitle = 'Bun.serve',
): { measured: string; limit: string; judged: Spread; unit: string } {
  return {
    measured: cpuCell(samples, subject),
    limit: `${limitTitle} ${cpuCell(samples, limit)}`,
    judged: spread(ratios(samples.get(limit, 'cpuUs'), samples.get(subject, 'cpuUs'))),
    unit: 'x',
  }
}

export function cpuCell(samples: Samples, variant: string): string {
  const cpuUs = spread(samples.get(variant, 'cpuUs')).median
  const perSecond = spread(samples.get(variant, 'perSecond')).median
  return `${short(cpuUs)} us CPU, ${short(perSecond)}/s`
}
