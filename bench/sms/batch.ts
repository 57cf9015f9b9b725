/** The query for a batch of 100 messages, over HTTPS: somebody polls one, or all that are stored are asked for. */

import type { Part } from '../harness/part.ts'
import type { Figures, Samples } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import type { Workspace } from '../harness/workspace.ts'
import { compareCpu, load, loadRunning, withServer } from '../load/https.ts'
import { batchCall, SMS_KEY, send } from '../load/sms-calls.ts'
import { type Goal, type Row, size } from '../report/table.ts'
import { batchAnswer, rridOf } from '../stock/messages.ts'
import { bareServe } from '../targets/bare-serve.ts'
import { dholeServer } from '../targets/dhole.ts'

const ANSWERED: Goal = { kind: 'at least', bound: 0.3 }

const WAYS = [
  {
    title: 'one batch again and again',
    operation: 'smsPoll',
    sizes: ({ messages: [few, , many] }: Settings): readonly number[] => [few, many],
  },
  {
    title: 'batches all over the file',
    operation: 'smsBatches',
    // Few are all kept in memory once they were asked for.
    sizes: ({ messages: [, some, many] }: Settings): readonly number[] => [some, many],
  },
] as const
type Way = (typeof WAYS)[number]['operation']

/** What answers nothing but a fixed text: a small one, and one as long as the answer for a batch. */
const LIMITS = [
  { title: 'Bun.serve, short text', content: 'leaf', goal: ANSWERED },
  { title: 'Bun.serve, same length', content: 'batch', goal: undefined },
] as const

const bareName = (content: string) => `sms batch bare ${content}`
export const batchesName = (messages: number, way: Way) => `sms batch ${way} ${size(messages)}`

export const smsBatchPart: Part = {
  quick: true,
  prepare: (workspace, { messages }) => workspace.build('messages', messages),
  variants(workspace, settings) {
    const { certificate } = workspace
    return [
      ...LIMITS.map(({ content }) => ({
        name: bareName(content),
        run: () => load(bareServe(certificate, content), 'smsBatches', settings.messages[0], settings),
      })),
      ...WAYS.flatMap(({ operation, sizes }) =>
        sizes(settings).map((messages) => ({
          name: batchesName(messages, operation),
          run: () => ask(workspace, messages, operation, settings),
        })),
      ),
    ]
  },
  rows: (samples, settings) =>
    WAYS.flatMap((way) =>
      way.sizes(settings).flatMap((messages) => LIMITS.map((limit) => row(samples, messages, way, limit))),
    ),
}

function ask(workspace: Workspace, messages: number, operation: Way, settings: Settings): Promise<Figures> {
  const { certificate } = workspace
  const dataDir = workspace.messages(messages)
  return withServer(dholeServer({ certificate, dataDir, smsKey: SMS_KEY }), async (running) => {
    const answer = await send(running.url, batchCall(rridOf(0)))
    if (answer.length !== batchAnswer(0).length) throw new Error(`a batch was answered ${answer}`)
    return loadRunning(running, { operation, size: messages }, settings)
  })
}

function row(
  samples: Samples,
  messages: number,
  { title, operation }: (typeof WAYS)[number],
  { title: limitTitle, content, goal }: (typeof LIMITS)[number],
): Row {
  const cells = compareCpu(samples, batchesName(messages, operation), bareName(content), limitTitle)
  return { operation: `status by rrid, 100 messages, ${title}, HTTPS`, size: messages, ...cells, goal }
}
