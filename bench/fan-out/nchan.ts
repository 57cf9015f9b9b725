/** The same fan-out by nginx with nchan, where it is installed. */

import type { Part } from '../harness/part.ts'
import { busyStreams, deliveryOf, loadStreams, ratioOf } from '../load/streams.ts'
import type { Row } from '../report/row.ts'
import { isInstalled, nchan } from '../targets/nchan.ts'
import { deliveryName } from './delivery.ts'

const NAME = 'streams nchan'

export const nchanPart: Part = {
  prepare: (workspace, { sizes }) => workspace.build('tree', [...new Set([sizes[0] ?? 0, sizes.at(-1) ?? 0])]),
  variants(workspace, settings) {
    if (!isInstalled()) return []
    const load = { streams: busyStreams(settings.subscribers), inFlight: 1, posted: true }
    return [
      {
        name: NAME,
        run: () =>
          workspace.withScratch((scratchDir) => {
            return loadStreams(nchan(workspace.certificate, scratchDir), load, settings)
          }),
      },
    ]
  },
  rows(samples, { sizes, subscribers }) {
    const ours = deliveryName(sizes[0] ?? 0)
    const row = {
      name: NAME,
      operation: 'deliver, one message in flight, against nchan',
      size: subscribers,
      measured: deliveryOf(samples, ours),
      unit: 'x',
    }
    if (!isInstalled()) return [{ ...row, limit: 'nchan is not installed', judged: undefined }]
    const found: Row = {
      ...row,
      limit: { title: 'nchan', ...deliveryOf(samples, NAME) },
      judged: ratioOf(samples, NAME, ours, 'deliveryUs'),
    }
    return [found]
  },
}
