/** What a subscriber keeps in memory while nothing happens. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, spread } from '../harness/rounds.ts'
import { withServer } from '../load/https.ts'
import type { StreamMemoryFigures, StreamMemoryRequest } from '../load/stream-memory.ts'
import { BUSY_PATH, BUSY_STREAM } from '../load/streams.ts'
import { figure } from '../report/row.ts'
import { dholeStreams } from '../targets/dhole-streams.ts'
import { rawStreams } from '../targets/raw-streams.ts'
import type { Target } from '../targets/target.ts'

const RAW = 'streams memory raw'
const DHOLE = 'streams memory dhole'

export const memoryPart: Part = {
  prepare: (workspace, { sizes }) => workspace.build('tree', [...new Set([sizes[0] ?? 0, sizes.at(-1) ?? 0])]),
  variants(workspace, { idleSubscribers }) {
    const { certificate } = workspace
    return [
      { name: RAW, run: () => measure(rawStreams({ certificate }), idleSubscribers) },
      {
        name: DHOLE,
        run: () =>
          workspace.withScratch((dataDir) => {
            return measure(dholeStreams({ certificate, dataDir, path: BUSY_PATH }), idleSubscribers)
          }),
      },
    ]
  },
  rows(samples, { idleSubscribers }) {
    const [ours, raw] = [samples.get(DHOLE, 'kb'), samples.get(RAW, 'kb')]
    return [
      {
        name: DHOLE,
        operation: 'memory of an idle subscriber, above the limit',
        size: idleSubscribers,
        measured: figure(ours, 'KB'),
        limit: { title: 'Bun.listen', ...figure(raw, 'KB') },
        judged: spread(ours.map((kb, round) => kb - (raw[round] ?? Number.NaN))),
        unit: 'KB',
        goal: { kind: 'at most', bound: 7 },
      },
    ]
  },
}

function measure(target: Target, subscribers: number): Promise<Figures> {
  return withServer(target, async ({ url, pid, control }) => {
    const request: StreamMemoryRequest = { url, pid, control, stream: BUSY_STREAM, subscribers }
    return { ...(await askChild<StreamMemoryFigures>('load/stream-memory.ts', request)) }
  })
}
