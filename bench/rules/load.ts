/** Users at work in the tree of members, over HTTPS. */

import { type Contest, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import type { Credential } from '../load/credential.ts'
import { type Contestant, cpuOf, loadInTurns } from '../load/https.ts'
import type { OperationName } from '../load/operations.ts'
import type { Goal, Row } from '../report/row.ts'
import { urlOf } from '../stock/blogs.ts'
import { cardPath, MEMBERS, SECRET } from '../stock/club.ts'
import { dholeServer } from '../targets/dhole.ts'
import type { Running } from '../targets/target.ts'

export const SHOWN_IN_URL: Credential = { carrier: 'url', tokens: 'one' }
export const SHOWN_IN_HEADER: Credential = { carrier: 'header', tokens: 'one' }

const TRUSTING = { rejectUnauthorized: false }
const DENIED = 403

interface ClubLoad {
  /** Of the variant. */
  readonly name: string
  readonly operation: OperationName
  /** Source of the rules. Default: everybody may do everything. */
  readonly rules?: string
  readonly credential?: Credential
}

/** Loads that are compared, each on a tree of its own. */
export function clubContest(
  name: string,
  loads: readonly ClubLoad[],
  workspace: Workspace,
  settings: Settings,
): Contest {
  const { certificate } = workspace
  const originals = loads.map(() => workspace.club(MEMBERS))
  const compete = () =>
    workspace.withCopies(originals, (dataDirs) => {
      const contestants = loads.map(({ rules, ...load }, index): Contestant => {
        const target = dholeServer({ certificate, dataDir: dataDirs[index] ?? '', secret: SECRET })
        const before = ({ url }: Running) => (rules === undefined ? Promise.resolve() : putRules(url, rules))
        return { ...load, target, size: MEMBERS, before }
      })
      return loadInTurns(contestants, settings)
    })
  return { name, compete }
}

/** @throws unless the rules are taken, and nobody reads without a token any more */
export async function putRules(url: string, rules: string): Promise<void> {
  const init = { method: 'PUT', body: rules, tls: TRUSTING }
  const response = await fetch(`${url}/.settings/rules.json?auth=${SECRET}`, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`the rules were refused: ${response.status} ${text}`)
  const { status } = await fetch(url + urlOf(cardPath(0)), { tls: TRUSTING })
  if (status !== DENIED) throw new Error(`nobody was answered ${status}, not ${DENIED}`)
}

/** What is compared, by the processor time of the server for one request. */
export interface Comparison {
  /** Of the row. */
  readonly name: string
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
  const { name, operation, subject, limit, limitTitle, by = 'speed', size, goal } = comparison
  const [ours, theirs] = [samples.get(subject, 'cpuUs'), samples.get(limit, 'cpuUs')]
  return {
    name,
    operation: by === 'speed' ? operation : `${operation}, time over limit`,
    size,
    measured: cpuOf(samples, subject),
    limit: { title: limitTitle, ...cpuOf(samples, limit) },
    judged: spread(by === 'speed' ? ratios(theirs, ours) : ratios(ours, theirs)),
    unit: 'x',
    goal,
  }
}
