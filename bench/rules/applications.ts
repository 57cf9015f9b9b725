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
import { type Goal, type Row, short } from '../report/table.ts'
import { applicationName, PLANTED } from '../stock/applications.ts'
import { dholeServe } from '../targets/dhole-serve.ts'
import type { Target } from '../targets/target.ts'
import type { ApplicationLoadFigures, ApplicationLoadRequest } from './application-load.ts'

const IDLE: Goal = { kind: 'at most', bound: 1.1 }

export const FEW_APPLICATIONS = 1
export const MANY_APPLICATIONS = 10_000
/** Of those with a tree, the ones that are asked before it counts. */
const EARLIER = 20
const MB = 1024

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
    idleRow(samples, 'start of the server', 'startMs', (ms) => `${short(ms)} ms`),
    idleRow(samples, 'memory of the server', 'kb', (kb) => `${short(kb / MB)} MB`),
    ...askedRows(samples),
  ],
}

/** Of several starts, the mean. */
async function measureIdle(workspace: Workspace, count: number, { repeats }: Settings): Promise<Figures> {
  let [startMs, kb] = [0, 0]
  for (let repeat = 0; repeat < repeats; repeat++) {
    const start = performance.now()
    await withServer(server(workspace, count), async ({ pid }) => {
      startMs += (performance.now() - start) / repeats
      await untilQuiet(pid)
      kb += residentKb(pid) / repeats
    })
  }
  return { startMs, kb }
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

function idleRow(samples: Samples, operation: string, figure: 'startMs' | 'kb', cell: (value: number) => string): Row {
  const [many, few] = [
    samples.get(idleName(MANY_APPLICATIONS), figure),
    samples.get(idleName(FEW_APPLICATIONS), figure),
  ]
  return {
    operation: `${operation} with idle applications, over limit`,
    size: MANY_APPLICATIONS,
    measured: cell(spread(many).median),
    limit: `one idle application ${cell(spread(few).median)}`,
    judged: spread(ratios(many, few)),
    unit: 'x',
    goal: IDLE,
  }
}

function askedRows(samples: Samples): Row[] {
  const get = (figure: keyof ApplicationLoadFigures) => samples.get(ASKED, figure)
  const middle = (figure: keyof ApplicationLoadFigures) => short(spread(get(figure)).median)
  const row = { size: MANY_APPLICATIONS, unit: 'x' }
  return [
    {
      ...row,
      operation: 'first request to a closed application, HTTPS, time over limit',
      measured: `${middle('firstMs')} ms, ${middle('firstUs')} us CPU`,
      limit: `open already ${middle('laterMs')} ms, ${middle('laterUs')} us CPU`,
      judged: spread(ratios(get('firstUs'), get('laterUs'))),
    },
    {
      ...row,
      operation: 'memory of an application that is open',
      measured: `${middle('kb')} KB`,
      limit: 'closed, none',
      judged: spread(get('kb')),
      unit: 'KB',
    },
  ]
}
