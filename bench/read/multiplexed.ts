/** What a GET costs the server when many share a connection. */
import type { Part } from '../harness/part.ts'
import { compareCpu, loadInTurns } from '../load/https.ts'
import type { Goal, Row } from '../report/row.ts'
import { bareServe } from '../targets/bare-serve.ts'
import { dholeServer } from '../targets/dhole.ts'

const SAVED: Goal = { kind: 'at least', bound: 3 }

const BARE = 'multiplexed, bare HTTP/1.1'
const BARE_MULTIPLEXED = 'multiplexed, bare'
const DHOLE = 'multiplexed, dhole'

export const multiplexedPart: Part = {
  quick: true,
  prepare: (workspace, { sizes }) => workspace.build('tree', sizes.slice(0, 1)),
  variants: (workspace, settings) => [
    {
      name: 'https getLeafMultiplexed',
      compete: () => {
        const { certificate } = workspace
        const [size = 0] = settings.sizes
        const bare = bareServe(certificate, 'leaf')
        const dhole = dholeServer({ certificate, dataDir: workspace.tree(size) })
        return loadInTurns(
          [
            { name: BARE, target: bare, operation: 'getLeaf', size },
            { name: BARE_MULTIPLEXED, target: bare, operation: 'getLeafMultiplexed', size },
            { name: DHOLE, target: dhole, operation: 'getLeafMultiplexed', size },
          ],
          settings,
        )
      },
    },
  ],
  rows: (samples, { sizes }): Row[] => {
    const shared = { operation: 'GET leaf hot, HTTP/2, 32 streams a connection', size: sizes[0] }
    return [
      {
        name: 'multiplexed to HTTP/1.1',
        ...shared,
        ...compareCpu(samples, DHOLE, BARE, 'Bun.serve, HTTP/1.1'),
        goal: SAVED,
      },
      {
        name: 'multiplexed to HTTP/2',
        ...shared,
        ...compareCpu(samples, DHOLE, BARE_MULTIPLEXED, 'Bun.serve, HTTP/2'),
      },
    ]
  },
}
