/** Reports text messages delivered, several calls at once, each message once; and what the disk could do meanwhile. */
import { join } from 'node:path'
import { answer, requestOf } from '../harness/child.ts'
import { SyncedFile } from '../harness/limits.ts'
import { cpuMsSince, readCpu, untilQuiet } from '../harness/proc.ts'
import { type Call, report, reportCall } from '../load/sms-calls.ts'
import { BATCH, mobileOf, rridOf } from '../stock/messages.ts'
import type { Served } from './server.ts'

/** Which messages one call is about: those of one batch after the other, or each of another batch. */
export type Mixture = 'batches' | 'scattered'

export interface ReportLoadRequest extends Served {
  /** An empty directory on the same disk. */
  readonly scratchDir: string
  /** Messages that are stored; as many as are reported, those that are not counted among them. */
  readonly messages: number
  readonly counted: number
  readonly mixture: Mixture
  /** Reports of one call. */
  readonly perCall: number
  /** Calls under way at once. */
  readonly clients: number
}

export interface ReportLoadFigures {
  readonly perSecond: number
  /** Processor time of the server for one report, all its threads, in microseconds. */
  readonly cpuUs: number
  readonly syncPerSecond: number
}

const PAGE_BYTES = 4096
const SYNCING_MS = 500

async function runLoad(request: ReportLoadRequest): Promise<ReportLoadFigures> {
  const { pid, messages, counted, perCall, scratchDir } = request
  const calls = callsOf(request)
  const first = (messages - counted) / perCall
  await postAll(calls.slice(0, first), request)
  await untilQuiet(pid)
  const before = readCpu(pid)
  const start = performance.now()
  await postAll(calls.slice(first), request)
  const ms = performance.now() - start
  await untilQuiet(pid)
  const cpuMs = cpuMsSince(pid, before)
  return {
    perSecond: (counted * 1000) / ms,
    cpuUs: (cpuMs * 1000) / counted,
    syncPerSecond: await syncPerSecond(scratchDir),
  }
}

/** Signed before the load begins, and good for a minute. */
function callsOf({ messages, perCall, mixture }: ReportLoadRequest): Call[] {
  const batches = messages / BATCH
  const message = (number: number): readonly [rrid: string, mobile: string] => {
    const batch = mixture === 'batches' ? Math.floor(number / BATCH) : number % batches
    const position = mixture === 'batches' ? number % BATCH : Math.floor(number / batches)
    return [rridOf(batch), mobileOf(batch, position)]
  }
  return Array.from({ length: messages / perCall }, (_, call) =>
    reportCall(Array.from({ length: perCall }, (_, index) => message(call * perCall + index))),
  )
}

async function postAll(calls: readonly Call[], { url, clients, perCall }: ReportLoadRequest): Promise<void> {
  const rest = calls.values()
  const post = async () => {
    for (const call of rest) await report(url, call, perCall)
  }
  await Promise.all(Array.from({ length: clients }, post))
}

async function syncPerSecond(scratchDir: string): Promise<number> {
  using synced = new SyncedFile(join(scratchDir, 'synced'))
  const page = new Uint8Array(PAGE_BYTES)
  const start = performance.now()
  let count = 0
  let ms = 0
  for (; ms < SYNCING_MS; count++) {
    await synced.append(page)
    ms = performance.now() - start
  }
  return (count * 1000) / ms
}

if (import.meta.main) answer(await runLoad(requestOf<ReportLoadRequest>()))
