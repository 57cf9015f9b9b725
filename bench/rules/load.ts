/** Users at work in the tree of members, over HTTPS. */

import { ratios, type Samples, spread, type Variant } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import type { Credential } from '../load/credential.ts'
import { cpuCell, loadRunning, withServer } from '../load/https.ts'
import type { OperationName } from '../load/operations.ts'
import type { Goal, Row } from '../report/table.ts'
import { urlOf } from '../stock/blogs.ts'
import { cardPath, MEMBERS, SECRET } from '../stock/club.ts'
import { dholeServer } from '../targets/dhole.ts'

export const SHOWN_IN_URL: Credential = { carrier: 'url', tokens: 'one' }
export const SHOWN_IN_HEADER: Credential = { carrier: 'header', tokens: 'one' }

const TRUSTING = { rejectUnauthorized: false }
const DENIED = 403

interface ClubLoad {
  readonly operation: OperationName
  /** Source of the rules. Default: everybody may do everything. */
  readonly rules?: string
  readonly credential?: Credential
}

export function clubVariant(name: string, load: ClubLoad, workspace: Workspace, settings: Settings): Variant {
  return { name, run: () => loadClub(load, workspace, settings) }
}

function loadClub({ operation, rules, credential }: ClubLoad, workspace: Workspace, settings: Settings) {
  return workspace.withCopy(workspace.club(MEMBERS), (dataDir) =>
    withServer(dholeServer({ certificate: workspace.certificate, dataDir, secret: SECRET }), async (running) => {
      if (rules !== undefined) await putRules(running.url, rules)
      return loadRunning(running, { operation, size: MEMBERS, credential }, settings)
    }),
  )
}

/** @throws unless the rules are taken, and nobody reads without a token any more */
async function putRules(url: string, rules: string): Promise<void> {
  const init = { method: 'PUT', body: rules, tls: TRUSTING }
  const response = await fetch(`${url}/.settings/rules.json?auth=${SECRET}`, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`the rules were refused: ${response.status} ${text}`)
  const { status } = await fetch(url + urlOf(cardPath(0)), { tls: TRUSTING })
  if (status !== DENIED) throw new Error(`nobody was answered ${status}, not ${DENIED}`)
}

/** What is compared, by the processor time of the server for one request. */
interface Comparison {
  readonly operation: string
  readonly subject: string
  readonly limit: string
  /** What the limit is. */
  readonly limitTitle: string
  /** Whether the ratio tells how fast it is, or how long it takes. Default `speed`. */
  readonly by?: 'speed' | 'time'
  readonly size?: number
  readonly goal?: Goal
}

export function clubRow(samples: Samples, comparison: Comparison): Row {
  const { operation, subject, limit, limitTitle, by = 'speed', size, goal } = comparison
  const [ours, theirs] = [samples.get(subject, 'cpuUs'), samples.get(limit, 'cpuUs')]
  return {
    operation: by === 'speed' ? operation : `${operation}, time over limit`,
    size,
    measured: cpuCell(samples, subject),
    limit: `${limitTitle} ${cpuCell(samples, limit)}`,
    judged: spread(by === 'speed' ? ratios(theirs, ours) : ratios(ours, theirs)),
    unit: 'x',
    goal,
  }
}
