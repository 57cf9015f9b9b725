/** The query for a batch of 100 messages, over HTTPS: somebody polls one, or all that are stored are asked for. */

import type { Part } from '../harness/part.ts'
import type { Samples } from '../harness/rounds.ts'
import type { Settings } from '../harness/settings.ts'
import { type Contestant, compareCpu, loadInTurns } from '../load/https.ts'
import { batchCall, SMS_KEY, send } from '../load/sms-calls.ts'
import { size } from '../report/numbers.ts'
import type { Goal, Row } from '../report/row.ts'
import { batchAnswer, rridOf } from '../stock/messages.ts'
import { bareServe } from '../targets/bare-serve.ts'
import { dholeServer } from '../targets/dhole.ts'
import type { Running } from '../targets/target.ts'

const ANSWERED: Goal = { kind: 'at least', bound: 0.3 }

const WAYS = [
  {
    title: 'one batch again and again',
    operation: 'smsPoll',
    sizes: ({ messages: [few, , many], quick }: Settings): readonly number[] => (quick ? [few] : [few, many]),
    goal: ANSWERED,
  },
  {
    title: 'finished batches all over the file',
    operation: 'smsBatches',
    // Few are all kept in memory once they were asked for.
    sizes: ({ messages: [, some, many] }: Settings): readonly number[] => [some, many],
    goal: ANSWERED,
  },
  {
    title: 'batches in motion all over the file',
    operation: 'smsMoving',
    sizes: ({ messages: [, some, many] }: Settings): readonly number[] => [some, many],
    goal: undefined,
  },
] as const
type Way = (typeof WAYS)[number]['operation']

/** What answers nothing but a fixed text: a small one, and one as long as the answer for a batch. */
const LIMITS = [
  { title: 'Bun.serve, short text', content: 'leaf', isJudged: true },
  { title: 'Bun.serve, same length', content: 'batch', isJudged: false },
] as const

const bareName = (content: string, way: Way) => `sms batch ${way} bare ${content}`
export const batchesName = (messages: number, way: Way) => `sms batch ${way} ${size(messages)}`

export const smsBatchPart: Part = {
  quick: true,
  prepare: (workspace, settings) =>
    workspace.build('messages', [...new Set(waysOf(settings).flatMap(({ sizes }) => sizes(settings)))]),
  variants: (workspace, settings) => {
    const { certificate } = workspace
    return waysOf(settings).map(({ operation, sizes }) => {
      const [smallest] = settings.messages
      const bare = limitsOf(settings).map(({ content }): Contestant => {
        const name = bareName(content, operation)
        return { name, target: bareServe(certificate, content), operation, size: smallest }
      })
      const dhole = sizes(settings).map((messages): Contestant => {
        const target = dholeServer({ certificate, dataDir: workspace.messages(messages), smsKey: SMS_KEY })
        return { name: batchesName(messages, operation), target, operation, size: messages, before: checkBatch }
      })
      return { name: `sms ${operation}`, compete: () => loadInTurns([...bare, ...dhole], settings) }
    })
  },
  rows: (samples, settings) =>
    waysOf(settings).flatMap((way) =>
      way.sizes(settings).flatMap((messages) => limitsOf(settings).map((limit) => row(samples, messages, way, limit))),
    ),
}

function waysOf({ quick }: Settings) {
  return quick ? WAYS.slice(0, 1) : WAYS
}

function limitsOf({ quick }: Settings) {
  return quick ? LIMITS.slice(0, 1) : LIMITS
}

/** @throws unless a whole batch is the answer */
async function checkBatch({ url }: Running): Promise<void> {
  const answer = await send(url, batchCall(rridOf(0)))
  if (answer.length !== batchAnswer(0).length) throw new Error(`a batch was answered ${answer}`)
}

function row(
  samples: Samples,
  messages: number,
  { title, operation, goal }: (typeof WAYS)[number],
  { title: limitTitle, content, isJudged }: (typeof LIMITS)[number],
): Row {
  const cells = compareCpu(samples, batchesName(messages, operation), bareName(content, operation), limitTitle)
  return {
    name: `${batchesName(messages, operation)} to ${content}`,
    operation: `status by rrid, 100 messages, ${title}, HTTPS`,
    size: messages,
    ...cells,
    goal: isJudged ? goal : undefined,
  }
}
