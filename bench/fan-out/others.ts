/** What those who listen elsewhere cost a write. */

import type { Part } from '../harness/part.ts'
import { ratios, spread } from '../harness/rounds.ts'
import { loadStreams } from '../load/streams.ts'
import { figure } from '../report/row.ts'
import { urlOf } from '../stock/blogs.ts'
import { dholeStreams } from '../targets/dhole-streams.ts'

const NAME = 'streams others'
const WRITERS = 32
/** A sister of those that are listened to. */
const BUSY = '/rooms/busy'

export const othersPart: Part = {
  prepare: (workspace, { sizes }) => workspace.build('tree', [...new Set([sizes[0] ?? 0, sizes.at(-1) ?? 0])]),
  variants(workspace, settings) {
    const { certificate } = workspace
    const streams = Array.from({ length: settings.subscribers }, (_, room) => urlOf(['rooms', `room-${room}`]))
    return [
      {
        name: NAME,
        run: () =>
          workspace.withScratch((dataDir) =>
            loadStreams(
              dholeStreams({ certificate, dataDir, path: BUSY }),
              { streams, inFlight: WRITERS, concerned: 0 },
              settings,
            ),
          ),
      },
    ]
  },
  rows: (samples, { subscribers }) => [
    {
      name: NAME,
      operation: `write, ${WRITERS} at once, among streams of other nodes, HTTPS, time over limit`,
      size: subscribers,
      measured: figure(samples.get(NAME, 'publishUs'), 'us CPU'),
      limit: { title: 'no streams', ...figure(samples.get(NAME, 'unheardUs'), 'us CPU') },
      judged: spread(ratios(samples.get(NAME, 'publishUs'), samples.get(NAME, 'unheardUs'))),
      unit: 'x',
      goal: { kind: 'at most', bound: 1.2 },
    },
  ],
}
