/** Reports taken in over HTTPS, durably. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, type Samples, spread, type Variant } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import type { Mixture, ReportLoadFigures, ReportLoadRequest } from './report-load.ts'
import { withMessages } from './server.ts'

const TAKEN_IN: Goal = { kind: 'at least', bound: 20_000 }

interface Load {
  readonly mixture: Mixture
  /** Reports of one call. */
  readonly perCall: number
  /** Calls under way at once. */
  readonly clients: number
}

const LOADS: readonly Load[] = [
  ...[100, 1000].flatMap((perCall) => [8, 64].map((clients) => ({ mixture: 'batches' as const, perCall, clients }))),
  { mixture: 'scattered', perCall: 100, clients: 64 },
]

const nameOf = ({ mixture, perCall, clients }: Load) => `sms report ${mixture} ${perCall} x ${clients}`

export const smsReportPart: Part = {
  quick: true,
  prepare: (workspace, settings) => workspace.build('unreported', [reportStock(settings)]),
  variants: (workspace, settings) =>
    loadsOf(settings).map((load): Variant => ({ name: nameOf(load), run: () => take(load, workspace, settings) })),
  rows: (samples, settings) => loadsOf(settings).map((load) => row(samples, load, settings)),
}

function loadsOf({ quick }: Settings): readonly Load[] {
  return quick ? LOADS.slice(1, 2) : LOADS
}

/** Messages of the file: each is reported once. */
export function reportStock({ reports, warmReports }: Settings): number {
  return warmReports + reports
}

function take(load: Load, workspace: Workspace, settings: Settings): Promise<Figures> {
  const messages = reportStock(settings)
  return withMessages(workspace, workspace.unreported(messages), async (served, scratchDir) => {
    const request: ReportLoadRequest = { ...served, scratchDir, messages, counted: settings.reports, ...load }
    return { ...(await askChild<ReportLoadFigures>('sms/report-load.ts', request)) }
  })
}

function row(samples: Samples, load: Load, settings: Settings): Row {
  const { mixture, perCall, clients } = load
  const get = (what: keyof ReportLoadFigures) => samples.get(nameOf(load), what)
  const about = mixture === 'batches' ? 'by the batch' : 'each of another batch'
  return {
    name: nameOf(load),
    operation: `report, ${perCall} a call ${about}, ${clients} clients, HTTPS`,
    size: reportStock(settings),
    measured: figure(get('cpuUs'), 'us CPU a report'),
    limit: { title: 'fdatasync', ...figure(get('syncPerSecond'), '/s') },
    judged: spread(get('perSecond')),
    unit: 'reports/s',
    goal: TAKEN_IN,
  }
}
