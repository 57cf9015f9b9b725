/** What registered applications cost: while nobody asks them, and when somebody does. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { residentKb, untilQuiet } from '../harness/proc.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { withServer } from '../load/https.ts'
import { figure, type Goal, type Row } from '../report/row.ts'
import { applicationName, PLANTED } from '../stock/applications.ts'
import { dholeServe } from '../targets/dhole-serve.ts'
import type { Target } from '../targets/target.ts'
import type { ApplicationLoadFigures, ApplicationLoadRequest } from './application-load.ts'

const IDLE: Goal = { kind: 'at most', bound: 1.1 }

export const FEW_APPLICATIONS = 1
export const MANY_APPLICATIONS = 10_000
/** Of those with a tree, the ones that are asked before it counts. */
const EARLIER = 20
const KB_PER_MB = 1024

const idleName = (count: number) => `applications idle ${count}`
const ASKED = 'applications asked'

export const rulesApplicationsPart: Part = {
  prepare: (workspace) => workspace.build('applications', [FEW_APPLICATIONS, MANY_APPLICATIONS]),
  variants: (workspace, settings) => [
    ...[FEW_APPLICATIONS, MANY_APPLICATIONS].map((count) => ({
      name: idleName(count),
      run: () => measureIdle(workspace, count, settings),
    })),
    { name: ASKED, run: () => measureAsked(workspace) },
  ],
  rows: (samples) => [
    idleRow(samples, 'start of the server', 'startMs', 'ms'),
    idleRow(samples, 'memory of the server', 'mb', 'MB'),
    ...askedRows(samples),
  ],
}

/** Of several starts, the mean. */
async function measureIdle(workspace: Workspace, count: number, { repeats }: Settings): Promise<Figures> {
  let [startMs, mb] = [0, 0]
  for (let repeat = 0; repeat < repeats; repeat++) {
    const start = performance.now()
    await withServer(server(workspace, count), async ({ pid }) => {
      startMs += (performance.now() - start) / repeats
      await untilQuiet(pid)
      mb += residentKb(pid) / KB_PER_MB / repeats
    })
  }
  return { startMs, mb }
}

function measureAsked(workspace: Workspace): Promise<Figures> {
  const names = Array.from({ length: PLANTED }, (_, number) => applicationName(number))
  return withServer(server(workspace, MANY_APPLICATIONS), async ({ url, pid }) => {
    const request: ApplicationLoadRequest = {
      url,
      pid,
      earlier: names.slice(0, EARLIER),
      counted: names.slice(EARLIER),
    }
    return { ...(await askChild<ApplicationLoadFigures>('rules/application-load.ts', request)) }
  })
}

function server(workspace: Workspace, count: number): Target {
  const dataDir = workspace.applications(count)
  const [certificateFile, keyFile] = [join(dataDir, 'certificate.pem'), join(dataDir, 'key.pem')]
  writeFileSync(certificateFile, workspace.certificate.cert)
  writeFileSync(keyFile, workspace.certificate.key)
  return dholeServe({ dataDir, certificateFile, keyFile })
}

function idleRow(samples: Samples, operation: string, what: 'startMs' | 'mb', unit: string): Row {
  const [many, few] = [samples.get(idleName(MANY_APPLICATIONS), what), samples.get(idleName(FEW_APPLICATIONS), what)]
  return {
    name: `applications idle ${what}`,
    operation: `${operation} with idle applications, over limit`,
    size: MANY_APPLICATIONS,
    measured: figure(many, unit),
    limit: { title: 'one idle application', ...figure(few, unit) },
    judged: spread(ratios(many, few)),
    unit: 'x',
    goal: IDLE,
  }
}

function askedRows(samples: Samples): Row[] {
  const get = (what: keyof ApplicationLoadFigures) => samples.get(ASKED, what)
  const row = { size: MANY_APPLICATIONS, unit: 'x' }
  return [
    {
      ...row,
      name: `${ASKED} first`,
      operation: 'first request to a closed application, HTTPS, time over limit',
      measured: { ...figure(get('firstUs'), 'us CPU'), beside: figure(get('firstMs'), 'ms') },
      limit: {
        title: 'open already',
        ...figure(get('laterUs'), 'us CPU'),
        beside: figure(get('laterMs'), 'ms'),
      },
      judged: spread(ratios(get('firstUs'), get('laterUs'))),
    },
    {
      ...row,
      name: `${ASKED} kb`,
      operation: 'memory of an application that is open',
      measured: figure(get('kb'), 'KB'),
      limit: { title: 'closed', value: 0, unit: 'KB' },
      judged: spread(get('kb')),
      unit: 'KB',
    },
  ]
}
