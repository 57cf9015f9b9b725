/** What it costs to tell many streams whose users are judged again with every message. */

import type { Part } from '../harness/part.ts'
import type { Samples, Variant } from '../harness/rounds.ts'
import { deliveryOf, loadStreams, ratioOf } from '../load/streams.ts'
import type { Row } from '../report/row.ts'
import { MEMBERS, SECRET } from '../stock/club.ts'
import { dholeStreams } from '../targets/dhole-streams.ts'

/** What is written and listened to. */
const ROOM = '/rooms/busy/title'

const NOBODY = 'rules streams open nobody'
const OPEN = 'rules streams open users'
const FIXED = 'rules streams by user'
const BY_DATA = 'rules streams by data'

/** Settled when the stream begins: the user stays the same. */
const FIXED_RULES = `{"rules": {"rooms": {".read": "auth.uid.beginsWith('user-')"}}}`
/** May change with every write. */
const DATA_RULES = `{"rules": {"rooms": {".read": "root.child('members/' + auth.uid).exists()"}}}`

export const rulesStreamsPart: Part = {
  prepare: (workspace) => workspace.build('club', [MEMBERS]),
  variants(workspace, settings) {
    const { certificate } = workspace
    const streams = new Array<string>(settings.subscribers).fill(`${ROOM}.json`)
    const variant = (name: string, withTokens: boolean, rules?: string): Variant => ({
      name,
      run: () =>
        workspace.withCopy(workspace.club(MEMBERS), (dataDir) => {
          const request = { certificate, dataDir, path: ROOM, secret: SECRET, ...(rules && { rules }) }
          return loadStreams(dholeStreams(request), { streams, inFlight: 1, withTokens }, settings)
        }),
    })
    return [
      variant(NOBODY, false),
      variant(OPEN, true),
      variant(FIXED, true, FIXED_RULES),
      variant(BY_DATA, true, DATA_RULES),
    ]
  },
  rows: (samples, { subscribers }) =>
    [
      deliveryRow(samples, 'deliver to users, open rules', OPEN, NOBODY, 'open, no token'),
      deliveryRow(samples, 'deliver by a rule on the user', FIXED, OPEN, 'open, same token'),
      deliveryRow(samples, 'deliver by a rule on data', BY_DATA, OPEN, 'open, same token'),
    ].map((row) => ({ ...row, size: subscribers })),
}

function deliveryRow(
  samples: Samples,
  title: string,
  subject: string,
  limit: string,
  limitTitle: string,
): Omit<Row, 'size'> {
  return {
    name: subject,
    operation: `${title}, one message in flight, HTTPS, time over limit`,
    measured: deliveryOf(samples, subject),
    limit: { title: limitTitle, ...deliveryOf(samples, limit) },
    judged: ratioOf(samples, subject, limit, 'deliveryUs'),
    unit: 'x',
  }
}
