/** Asks for final states nobody has been given, one call after the other, until there are none left. */
import { answer, requestOf } from '../harness/child.ts'
import { spread } from '../harness/rounds.ts'
import { handoverCall, send } from '../load/sms-calls.ts'
import { HANDED_OVER } from '../stock/messages.ts'
import { billed } from './bill.ts'
import type { Served } from './server.ts'

export interface HandoverLoadRequest extends Served {
  /** Calls that are not counted, and calls that are, of 10,000 states each: all there are. */
  readonly warm: number
  readonly counted: number
}

/** Of one call, the middle one of all. */
export interface HandoverLoadFigures {
  /** Processor time of the server until it is quiet again: the call, its acknowledgement, what it has left to collect. */
  readonly cpuMs: number
  /** From request to the end of the answer. */
  readonly ms: number
}

async function runLoad({ warm, counted, ...served }: HandoverLoadRequest): Promise<HandoverLoadFigures> {
  const { url } = served
  const calls: HandoverLoadFigures[] = []
  for (let call = 0; call < warm + counted; call++) {
    let ms = 0
    const cpuMs = await billed(served, async () => {
      ms = await takeAll(url)
    })
    if (call >= warm) calls.push({ cpuMs, ms })
  }
  const rest = await send(url, handoverCall())
  if (rest !== '{"status":"ok","data":[]}') throw new Error(`handed over twice: ${rest.slice(0, 200)}`)
  return {
    cpuMs: spread(calls.map(({ cpuMs }) => cpuMs)).median,
    ms: spread(calls.map(({ ms }) => ms)).median,
  }
}

/** @returns how long it took */
async function takeAll(url: string): Promise<number> {
  const start = performance.now()
  const text = await send(url, handoverCall())
  const ms = performance.now() - start
  const { data } = JSON.parse(text) as { data: unknown[] }
  if (data.length !== HANDED_OVER) throw new Error(`${data.length} final states were handed over`)
  return ms
}

if (import.meta.main) answer(await runLoad(requestOf<HandoverLoadRequest>()))
