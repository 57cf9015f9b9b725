/** What calls cost among many messages, in units of what they cost among few. */
import { askChild } from '../harness/child.ts'
import type { Part } from '../harness/part.ts'
import type { Figures, Samples } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { growthOf } from '../report/growth.ts'
import { size } from '../report/numbers.ts'
import type { Goal, Row } from '../report/row.ts'
import { BATCH } from '../stock/messages.ts'
import { batchesName } from './batch.ts'
import type { GrowthLoadFigures, GrowthLoadRequest } from './growth-load.ts'
import { withMessages } from './server.ts'

const GROWN: Goal = { kind: 'at most', bound: 1.3 }
/** An answer is one row. */
const ONE_ROW: Goal = { kind: 'at most', bound: 1.2 }
const WARM = 4

const nameOf = (messages: number) => `sms growth ${size(messages)}`

const CALLS: readonly { readonly title: string; readonly figure: keyof GrowthLoadFigures }[] = [
  { title: 'batch status of 1000', figure: 'handoverUs' },
  { title: 'report of 100', figure: 'reportUs' },
  { title: 'record of 100', figure: 'recordUs' },
]

export const smsGrowthPart: Part = {
  prepare: (workspace, { messages }) => workspace.build('messages', messages),
  variants: (workspace, settings) =>
    fewAndMany(settings).map((messages) => ({
      name: nameOf(messages),
      run: () => measure(workspace, messages, settings),
    })),
  rows(samples, settings) {
    const [few, some, many] = settings.messages
    const polled = (messages: number) => batchesName(messages, 'smsPoll')
    const scattered = (messages: number) => batchesName(messages, 'smsBatches')
    return [
      growthRow(samples, 'status by rrid, one batch again and again', 'cpuUs', [few, many], polled),
      // Few are all kept in memory once they were asked for; of some, none is when it is asked for again.
      growthRow(samples, 'status by rrid, batches all over the file', 'cpuUs', [some, many], scattered, ONE_ROW),
      ...CALLS.map((call) => growthRow(samples, call.title, call.figure, [few, many], nameOf)),
    ]
  },
}

function fewAndMany({ messages: [few, , many] }: Settings): readonly [few: number, many: number] {
  return [few, many]
}

function measure(workspace: Workspace, messages: number, { handovers }: Settings): Promise<Figures> {
  return withMessages(workspace, workspace.messages(messages), async (served) => {
    const request: GrowthLoadRequest = { ...served, batches: messages / BATCH, warm: WARM, counted: handovers }
    return { ...(await askChild<GrowthLoadFigures>('sms/growth-load.ts', request)) }
  })
}

function growthRow(
  samples: Samples,
  title: string,
  figure: string,
  [few, many]: readonly [number, number],
  nameOf: (messages: number) => string,
  goal = GROWN,
): Row {
  const at = (count: number) => ({ count, values: samples.get(nameOf(count), figure) })
  return {
    name: `growth ${title}`,
    operation: `growth of ${title}, HTTPS`,
    ...growthOf(at(few), at(many), 'us CPU'),
    goal,
  }
}
