/** What it costs a PUT over HTTPS that rules decide, where the rules read three places of the tree. */

import type { Part } from '../harness/part.ts'
import type { Goal } from '../report/row.ts'
import { CLUB_RULES, MEMBERS } from '../stock/club.ts'
import { clubContest, clubRow, SHOWN_IN_URL } from './load.ts'

const WRITTEN: Goal = { kind: 'at least', bound: 0.7 }

/** Load that is not counted, in loads: a server that has judged a few thousand writes is still compiling how. */
const WARM = 2

const OPEN = 'rules putDraft open nobody'
const OPEN_SHOWN = 'rules putDraft open url'
const RULED = 'rules putDraft ruled url'

export const rulesWritePart: Part = {
  prepare: (workspace) => workspace.build('club', [MEMBERS]),
  variants(workspace, settings) {
    const operation = 'putDraft' as const
    const credential = SHOWN_IN_URL
    const warmed = { ...settings, warmSeconds: WARM * settings.seconds }
    const loads = [
      { name: OPEN, operation },
      { name: OPEN_SHOWN, operation, credential },
      { name: RULED, operation, credential, rules: CLUB_RULES },
    ] as const
    return [clubContest('rules putDraft', loads, workspace, warmed)]
  },
  rows(samples) {
    const ours = { operation: 'PUT 1 KB by rules that read three places, 64 clients, HTTPS', subject: RULED }
    return [
      clubRow(samples, {
        name: `${RULED} to no token`,
        ...ours,
        limit: OPEN,
        limitTitle: 'open, no token',
        goal: WRITTEN,
      }),
      clubRow(samples, {
        name: `${RULED} to same token`,
        ...ours,
        limit: OPEN_SHOWN,
        limitTitle: 'open, same token',
        goal: WRITTEN,
      }),
    ]
  },
}
