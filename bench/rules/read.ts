/** What it costs a GET over HTTPS that a rule decides, where the rule needs nothing of the tree. */

import type { Part } from '../harness/part.ts'
import type { Samples } from '../harness/rounds.ts'
import type { Credential } from '../load/credential.ts'
import type { Goal, Row } from '../report/table.ts'
import { CLUB_RULES, MEMBERS } from '../stock/club.ts'
import { clubRow, clubVariant, SHOWN_IN_HEADER, SHOWN_IN_URL } from './load.ts'

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
    READS.flatMap(({ operation }) => [
      clubVariant(openName(operation), { operation }, workspace, settings),
      ...CARRIERS.flatMap(({ credential }) => [
        clubVariant(openName(operation, credential), { operation, credential }, workspace, settings),
        clubVariant(
          ruledName(operation, credential),
          { operation, credential, rules: CLUB_RULES },
          workspace,
          settings,
        ),
      ]),
    ]),
  rows: (samples) =>
    READS.flatMap(({ title, operation }) =>
      CARRIERS.flatMap((carrier) => carrierRows(samples, title, operation, carrier)),
    ),
}

function carrierRows(
  samples: Samples,
  title: string,
  operation: ReadName,
  { title: shown, credential }: (typeof CARRIERS)[number],
): Row[] {
  const ours = { operation: `${title} by rule, ${shown}, HTTPS`, subject: ruledName(operation, credential) }
  return [
    clubRow(samples, { ...ours, limit: openName(operation), limitTitle: 'open, no token', goal: JUDGED }),
    clubRow(samples, { ...ours, limit: openName(operation, credential), limitTitle: 'open, same token', goal: JUDGED }),
  ]
}
