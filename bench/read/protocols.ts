/** What a GET costs the server over HTTP/1.1, and when many share a connection of HTTP/2. */
import type { Part } from '../harness/part.ts'
import { type Contestant, compareCpu, loadInTurns } from '../load/https.ts'
import type { Goal, Row } from '../report/row.ts'
import { bareServe } from '../targets/bare-serve.ts'
import { dholeServer } from '../targets/dhole.ts'
import { frameworkServe } from '../targets/framework-serve.ts'

const AS_FAST: Goal = { kind: 'at least', bound: 0.82 }
const SHARED: Goal = { kind: 'at least', bound: 0.62 }

const BARE = 'protocols bare HTTP/1.1'
const BARE_SHARED = 'protocols bare HTTP/2'
const DHOLE = 'protocols dhole HTTP/1.1'
const DHOLE_SHARED = 'protocols dhole HTTP/2'
const FRAMEWORK = 'protocols framework HTTP/1.1'
const FRAMEWORK_SHARED = 'protocols framework HTTP/2'

export const protocolsPart: Part = {
  quick: true,
  prepare: (workspace, { sizes }) => workspace.build('tree', sizes.slice(0, 1)),
  variants: (workspace, settings) => [
    {
      name: 'https getLeaf over HTTP/1.1 and HTTP/2',
      compete: () => {
        const { certificate } = workspace
        const [size = 0] = settings.sizes
        const bare = bareServe(certificate, 'leaf')
        const dhole = dholeServer({ certificate, dataDir: workspace.tree(size) })
        const framework = frameworkServe(certificate)
        const contestants: Contestant[] = [
          { name: BARE, target: bare, operation: 'getLeaf', size },
          { name: DHOLE, target: dhole, operation: 'getLeaf', size },
          { name: BARE_SHARED, target: bare, operation: 'getLeafMultiplexed', size },
          { name: DHOLE_SHARED, target: dhole, operation: 'getLeafMultiplexed', size },
        ]
        if (!settings.quick) {
          contestants.push(
            { name: FRAMEWORK, target: framework, operation: 'getLeaf', size },
            { name: FRAMEWORK_SHARED, target: framework, operation: 'getLeafMultiplexed', size },
          )
        }
        return loadInTurns(contestants, settings)
      },
    },
  ],
  rows: (samples, { sizes, quick }): Row[] => {
    const first = { operation: 'GET leaf hot, HTTP/1.1', size: sizes[0] }
    const shared = { operation: 'GET leaf hot, HTTP/2, 32 streams a connection', size: sizes[0] }
    const rows: Row[] = [
      { name: 'leaf over HTTP/1.1', ...first, ...compareCpu(samples, DHOLE, BARE), goal: AS_FAST },
      {
        name: 'leaf over HTTP/2 to HTTP/1.1',
        ...shared,
        ...compareCpu(samples, DHOLE_SHARED, BARE, 'Bun.serve, HTTP/1.1'),
      },
      {
        name: 'leaf over HTTP/2',
        ...shared,
        ...compareCpu(samples, DHOLE_SHARED, BARE_SHARED, 'Bun.serve, HTTP/2'),
        goal: SHARED,
      },
    ]
    if (quick) return rows
    const size = sizes[0]
    return [
      ...rows,
      {
        name: 'bare over HTTP/2 to HTTP/1.1',
        operation: 'Bun.serve itself, HTTP/2, 32 streams a connection',
        size,
        ...compareCpu(samples, BARE_SHARED, BARE, 'Bun.serve, HTTP/1.1'),
      },
      {
        name: 'framework over HTTP/1.1',
        operation: 'Elysia that looks at the headers and finds a text by the URL, HTTP/1.1',
        size,
        ...compareCpu(samples, FRAMEWORK, BARE),
      },
      {
        name: 'framework over HTTP/2',
        operation: 'Elysia that looks at the headers and finds a text by the URL, HTTP/2',
        size,
        ...compareCpu(samples, FRAMEWORK_SHARED, BARE_SHARED, 'Bun.serve, HTTP/2'),
      },
    ]
  },
}
