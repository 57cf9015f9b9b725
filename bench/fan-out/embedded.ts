/** What listening costs the writes, without HTTP. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import { type Figures, ratios, type Samples, spread } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { size } from '../report/numbers.ts'
import { figure, type Row } from '../report/row.ts'
import {
  type EmbeddedPublishFigures,
  type EmbeddedPublishRequest,
  WRITERS,
  type Writers,
  type Written,
} from './embedded-publish.ts'

const NAME = 'embedded publish'
/** Small effects need many slices; there are five kinds of writes, each by one writer and by many. */
const SLICES_TIMES = 3
const SHORTER = 2

interface Words {
  readonly operation: string
  readonly size: number | undefined
  readonly at?: string
  readonly limit: string
  readonly bound: number
}

export const embeddedPublishPart: Part = {
  prepare: (workspace, { sizes }) => workspace.build('tree', [...new Set([sizes[0] ?? 0, sizes.at(-1) ?? 0])]),
  variants: (workspace, settings) => [{ name: NAME, run: () => measure(workspace, settings) }],
  rows: (samples, settings) =>
    (Object.keys(WRITERS) as Writers[]).flatMap((writers) => rowsOf(samples, settings, writers)),
}

function measure(workspace: Workspace, settings: Settings): Promise<Figures> {
  const { sizes, sliceMs, slices, subscribers, otherSubscribers: others } = settings
  const [smallest, largest] = [sizes[0] ?? 0, sizes.at(-1) ?? 0].map((leaves) => workspace.tree(leaves))
  return workspace.withCopy(smallest ?? '', (small, scratchDir) =>
    workspace.withCopy(largest ?? '', async (large) => {
      const dataDirs = [small, large]
      const times = { sliceMs: sliceMs / SHORTER, slices: slices * SLICES_TIMES }
      const request: EmbeddedPublishRequest = { scratchDir, dataDirs, subscribers, others, ...times }
      return { ...(await askChild<EmbeddedPublishFigures>('fan-out/embedded-publish.ts', request)) }
    }),
  )
}

function rowsOf(samples: Samples, { sizes, subscribers, otherSubscribers }: Settings, writers: Writers): Row[] {
  const [smallest, largest] = [size(sizes[0] ?? 0), size(sizes.at(-1) ?? 0)]
  const who = writers === 'one' ? 'one writer' : `${WRITERS[writers]} at once`
  const row = (ours: Written, limit: Written, words: Words): Row => {
    const [over, under] = [samples.get(NAME, `${ours} ${writers}`), samples.get(NAME, `${limit} ${writers}`)]
    return {
      name: `${NAME} ${ours} to ${limit} ${writers}`,
      operation: `${words.operation}, ${who}, embedded, time over limit`,
      size: words.size,
      measured: { ...figure(over, 'us CPU'), ...(words.at && { at: words.at }) },
      limit: { title: words.limit, ...figure(under, 'us CPU') },
      judged: spread(ratios(over, under)),
      unit: 'x',
      goal: { kind: 'at most', bound: words.bound },
    }
  }
  return [
    row('crowded', 'alone', {
      operation: 'write among subscribers to other nodes',
      size: otherSubscribers,
      limit: 'no subscribers',
      bound: 1.2,
    }),
    row('large', 'small', {
      operation: 'growth of publishing with the tree',
      size: subscribers,
      at: `${largest} leaves`,
      limit: `${smallest} leaves`,
      bound: 1.2,
    }),
    row('alone', 'bare', {
      operation: 'write that nobody listens to',
      size: undefined,
      limit: 'store alone',
      bound: 1.05,
    }),
  ]
}
