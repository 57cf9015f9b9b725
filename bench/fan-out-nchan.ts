/** The same fan-out by nginx with nchan, where it is installed. */
import { costCell, deliveryName } from './fan-out-delivery.ts'
import { busyStreams, loadStreams, ratioOf } from './fan-out-load.ts'
import type { Part } from './part.ts'
import type { Row } from './report.ts'
import { isInstalled, nchan } from './targets/nchan.ts'

const NAME = 'streams nchan'

export const nchanPart: Part = {
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
    const row = { operation: 'deliver, one message in flight, against nchan', size: subscribers, unit: 'x' }
    const measured = costCell(samples, ours)
    if (!isInstalled()) return [{ ...row, measured, limit: 'nchan is not installed', judged: undefined }]
    const found: Row = {
      ...row,
      measured,
      limit: `nchan ${costCell(samples, NAME)}`,
      judged: ratioOf(samples, NAME, ours, 'deliveryUs'),
    }
    return [found]
  },
}
