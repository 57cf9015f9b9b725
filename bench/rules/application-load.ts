/** Asks applications that are not open, and then the same ones again, in a process of its own. */
import { answer, requestOf } from '../harness/child.ts'
import { cpuMsSince, readCpu, residentKb, untilQuiet } from '../harness/proc.ts'

export interface ApplicationLoadRequest {
  readonly url: string
  /** The server's process. */
  readonly pid: number
  /** Names of those that are asked first and not counted, so that no code runs for the first time. */
  readonly earlier: readonly string[]
  readonly counted: readonly string[]
}

export interface ApplicationLoadFigures {
  /** From request to answer. */
  readonly firstMs: number
  readonly laterMs: number
  /** Processor time of the server, all its threads. */
  readonly firstUs: number
  readonly laterUs: number
  /** What the server grows by with each that is open. */
  readonly kb: number
}

interface Pass {
  readonly ms: number
  readonly us: number
}

/** An open one answers too quickly for the clock of processor time to see one pass. */
const LATER_PASSES = 40

async function runLoad({ url, pid, earlier, counted }: ApplicationLoadRequest): Promise<ApplicationLoadFigures> {
  await askEach(url, earlier, 1)
  await askEach(url, earlier, LATER_PASSES)
  await untilQuiet(pid)
  const before = residentKb(pid)
  const first = await timed(pid, url, counted, 1)
  const kb = (residentKb(pid) - before) / counted.length
  await askEach(url, counted, 1)
  const later = await timed(pid, url, counted, LATER_PASSES)
  return { firstMs: first.ms, laterMs: later.ms, firstUs: first.us, laterUs: later.us, kb }
}

async function timed(pid: number, url: string, names: readonly string[], passes: number): Promise<Pass> {
  const requests = names.length * passes
  const before = readCpu(pid)
  const start = performance.now()
  await askEach(url, names, passes)
  const ms = performance.now() - start
  await untilQuiet(pid)
  return { ms: ms / requests, us: (cpuMsSince(pid, before) * 1000) / requests }
}

/** One request after the other. */
async function askEach(url: string, names: readonly string[], passes: number): Promise<void> {
  for (let pass = 0; pass < passes; pass++) {
    for (const name of names) {
      const response = await fetch(`${url}/title.json?ns=${name}`, { tls: { rejectUnauthorized: false } })
      const text = await response.text()
      if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`)
    }
  }
}

if (import.meta.main) answer(await runLoad(requestOf<ApplicationLoadRequest>()))
