/** Records, reports and hands over a few messages among those that are stored, again and again. */
import { answer, requestOf } from '../harness/child.ts'
import { spread } from '../harness/rounds.ts'
import { handoverCall, recordCall, report, reportCall, send } from '../load/sms-calls.ts'
import { BATCH, mobilesOf, rridOf } from '../stock/messages.ts'
import { billed } from './bill.ts'
import type { Served } from './server.ts'

export interface GrowthLoadRequest extends Served {
  /** Batches that are stored already. */
  readonly batches: number
  /** Turns that are not counted, and turns that are. */
  readonly warm: number
  readonly counted: number
}

/** Processor time of the server for one call, in microseconds, of the middle turn. */
export interface GrowthLoadFigures {
  readonly recordUs: number
  readonly reportUs: number
  readonly handoverUs: number
}

/** Batches recorded and reported in one turn, then handed over at once. */
const BATCHES_A_TURN = 10

async function runLoad(request: GrowthLoadRequest): Promise<GrowthLoadFigures> {
  const { batches, warm, counted } = request
  const turns: GrowthLoadFigures[] = []
  for (let turn = 0; turn < warm + counted; turn++) {
    const first = batches + turn * BATCHES_A_TURN
    const fresh = Array.from({ length: BATCHES_A_TURN }, (_, index) => first + index)
    const figures = await takeTurn(request, fresh)
    if (turn >= warm) turns.push(figures)
  }
  const middle = (figure: keyof GrowthLoadFigures) => spread(turns.map((turn) => turn[figure])).median
  return { recordUs: middle('recordUs'), reportUs: middle('reportUs'), handoverUs: middle('handoverUs') }
}

/** @param fresh batches that are not stored yet */
async function takeTurn(served: Served, fresh: readonly number[]): Promise<GrowthLoadFigures> {
  const { url } = served
  const eachUs = async (work: (batch: number) => Promise<unknown>) => {
    const ms = await billed(served, async () => {
      for (const batch of fresh) await work(batch)
    })
    return (ms * 1000) / fresh.length
  }
  return {
    recordUs: await eachUs((batch) => send(url, recordCall(rridOf(batch), mobilesOf(batch)))),
    reportUs: await eachUs((batch) => reportBatch(url, batch)),
    handoverUs: 1000 * (await billed(served, () => takeAll(url, fresh.length * BATCH))),
  }
}

function reportBatch(url: string, batch: number): Promise<void> {
  const messages = mobilesOf(batch).map((mobile) => [rridOf(batch), mobile] as const)
  return report(url, reportCall(messages), messages.length)
}

/** @throws unless so many are handed over */
async function takeAll(url: string, count: number): Promise<void> {
  const { data } = JSON.parse(await send(url, handoverCall())) as { data: unknown[] }
  if (data.length !== count) throw new Error(`${data.length} final states were handed over, not ${count}`)
}

if (import.meta.main) answer(await runLoad(requestOf<GrowthLoadRequest>()))
