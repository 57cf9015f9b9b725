/** The same fan-out by nginx with nchan, where it is installed. */

import type { Part } from '../harness/part.ts'
import { BUSY_PATH, busyStreams, deliveryOf, ratioOf, streamInTurns } from '../load/streams.ts'
import { nchan } from '../peers/nchan.ts'
import type { StreamPeer } from '../peers/peer.ts'
import type { Row } from '../report/row.ts'
import { dholeStreams } from '../targets/dhole-streams.ts'
import { deliveryName } from './delivery.ts'

/** The delivery of one message, held against another server that does the same. */
export function partAgainst(peer: StreamPeer): Part {
  const [theirs, ours] = [`streams ${peer.name}`, `streams dhole, against ${peer.name}`]
  return {
    prepare: (workspace, { sizes }) => workspace.build('tree', sizes.slice(0, 1)),
    variants(workspace, settings) {
      if (peer.missing() !== undefined) return []
      const audience = { streams: busyStreams(settings.subscribers), inFlight: 1 }
      return [
        {
          name: theirs,
          compete: () =>
            workspace.withCopy(workspace.tree(settings.sizes[0] ?? 0), (dataDir, scratchDir) => {
              const { certificate } = workspace
              const target = dholeStreams({ certificate, dataDir, path: BUSY_PATH })
              return streamInTurns(
                [
                  { name: ours, target, ...audience },
                  { name: theirs, target: peer.streams(certificate, scratchDir), posted: true, ...audience },
                ],
                settings,
              )
            }),
        },
      ]
    },
    rows(samples, { sizes, subscribers }): Row[] {
      const operation = `deliver, one message in flight, against ${peer.name}`
      const row = { name: theirs, operation, size: subscribers, unit: 'x' }
      const reason = peer.missing()
      if (reason !== undefined) {
        const measured = deliveryOf(samples, deliveryName(sizes[0] ?? 0))
        return [{ ...row, measured, limit: `${peer.name} not measured: ${reason}`, judged: undefined }]
      }
      return [
        {
          ...row,
          measured: deliveryOf(samples, ours),
          limit: { title: peer.name, ...deliveryOf(samples, theirs) },
          judged: ratioOf(samples, theirs, ours, 'deliveryUs'),
        },
      ]
    },
  }
}

export const nchanPart = partAgainst(nchan)
