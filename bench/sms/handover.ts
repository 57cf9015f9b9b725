/** The batch query that hands over 10,000 final states, over HTTPS, read to the end and acknowledged. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { load } from '../load/https.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import { HANDED_OVER } from '../stock/messages.ts'
import { bareServe } from '../targets/bare-serve.ts'
import type { HandoverLoadFigures, HandoverLoadRequest } from './handover-load.ts'
import { withMessages } from './server.ts'

const NAME = 'sms handover'
const BARE = 'sms handover bare'
const GOAL: Goal = { kind: 'at most', bound: 60 }
/** Calls that are not counted. */
const WARM = 4

export const smsHandoverPart: Part = {
  prepare: (workspace, { handovers }) => workspace.build('waiting', [handoverStock(handovers)]),
  variants: (workspace, settings) => [
    {
      name: BARE,
      run: () => load(bareServe(workspace.certificate, 'handover'), 'smsHandover', HANDED_OVER, settings),
    },
    { name: NAME, run: () => handOver(workspace, settings) },
  ],
  rows: (samples, { handovers }) => [
    row(samples, 'cpuMs', 'processor time of the server', handoverStock(handovers), GOAL),
    row(samples, 'ms', 'time until the client has it', handoverStock(handovers)),
  ],
}

/** Final states that wait for so many calls. */
export function handoverStock(handovers: number): number {
  return (WARM + handovers) * HANDED_OVER
}

function handOver(workspace: Workspace, { handovers }: Settings): Promise<Figures> {
  return withMessages(workspace, workspace.waiting(handoverStock(handovers)), async (served) => {
    const request: HandoverLoadRequest = { ...served, warm: WARM, counted: handovers }
    return { ...(await askChild<HandoverLoadFigures>('sms/handover-load.ts', request)) }
  })
}

function row(samples: Samples, what: keyof HandoverLoadFigures, title: string, size: number, goal?: Goal): Row {
  const ms = samples.get(NAME, what)
  const bareMs = samples.get(BARE, 'cpuUs').map((us) => us / 1000)
  return {
    name: `${NAME} ${what}`,
    operation: `batch status of 10,000, ${title}, HTTPS`,
    size,
    measured: figure(ms, 'ms'),
    limit: { title: 'Bun.serve, same length', ...figure(bareMs, 'ms CPU') },
    judged: spread(ms),
    unit: 'ms',
    goal,
  }
}
