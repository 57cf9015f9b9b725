/** What it costs a GET over HTTPS that a rule decides, where the rule needs nothing of the tree. */

import type { Part } from '../harness/part.ts'
import type { Settings } from '../harness/settings.ts'
import type { Credential } from '../load/credential.ts'
import type { Goal } from '../report/row.ts'
import { CLUB_RULES, MEMBERS } from '../stock/club.ts'
import { type Comparison, clubContest, clubRow, SHOWN_IN_HEADER, SHOWN_IN_URL } from './load.ts'

const JUDGED: Goal = { kind: 'at least', bound: 0.85 }

const READS = [
  { title: 'GET leaf', operation: 'getNote' },
  { title: 'GET 1 KB', operation: 'getCard' },
] as const
type ReadName = (typeof READS)[number]['operation']

const CARRIERS = [
  { title: 'token in the URL', credential: SHOWN_IN_URL },
  { title: 'token in a header', credential: SHOWN_IN_HEADER },
] as const

const openName = (operation: ReadName, credential?: Credential) =>
  `rules ${operation} open ${credential?.carrier ?? 'nobody'}`
const ruledName = (operation: ReadName, { carrier }: Credential) => `rules ${operation} ruled ${carrier}`
/** The variant that others are compared with too. */
export const ruledNote = ruledName('getNote', SHOWN_IN_URL)

export const rulesReadPart: Part = {
  quick: true,
  prepare: (workspace) => workspace.build('club', [MEMBERS]),
  variants: (workspace, settings) =>
    readsOf(settings).map(({ operation }) => {
      const loads = carriersOf(settings).flatMap(({ credential }) => [
        { name: openName(operation, credential), operation, credential },
        { name: ruledName(operation, credential), operation, credential, rules: CLUB_RULES },
      ])
      const open = settings.quick ? [] : [{ name: openName(operation), operation }]
      return clubContest(`rules ${operation}`, [...open, ...loads], workspace, settings)
    }),
  rows: (samples, settings) =>
    readsOf(settings).flatMap(({ title, operation }) =>
      carriersOf(settings).flatMap((carrier) => {
        const all = comparisons(title, operation, carrier)
        const chosen = settings.quick ? all.slice(0, 1) : all
        return chosen.map((comparison) => clubRow(samples, comparison))
      }),
    ),
}

function readsOf({ quick }: Settings) {
  return quick ? READS.slice(0, 1) : READS
}

function carriersOf({ quick }: Settings) {
  return quick ? CARRIERS.slice(0, 1) : CARRIERS
}

function comparisons(
  title: string,
  operation: ReadName,
  { title: shown, credential }: (typeof CARRIERS)[number],
): Comparison[] {
  const subject = ruledName(operation, credential)
  const ours = {
    operation: `${title} by rule, ${shown}, HTTPS`,
    subject,
    goal: JUDGED,
  }
  return [
    {
      name: `${subject} to same token`,
      ...ours,
      limit: openName(operation, credential),
      limitTitle: 'open, same token',
    },
    { name: `${subject} to no token`, ...ours, limit: openName(operation), limitTitle: 'open, no token' },
  ]
}
