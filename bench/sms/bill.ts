/** What single calls cost a server that has a meter: the clock of the system is too coarse for them. */
import { untilQuiet } from '../harness/proc.ts'
import type { Served } from './server.ts'

/** Processor time of a server, all its threads, for some work and what it leaves behind, in milliseconds. */
export async function billed({ url, pid }: Served, work: () => Promise<unknown>): Promise<number> {
  const before = await cpuMs(url)
  await work()
  await untilQuiet(pid)
  return (await cpuMs(url)) - before
}

/** Asking costs the server about a tenth of a millisecond. */
async function cpuMs(url: string): Promise<number> {
  const response = await fetch(`${url}/cpu`, { tls: { rejectUnauthorized: false } })
  const text = await response.text()
  if (!response.ok) throw new Error(`the server has no meter: ${response.status}`)
  return Number(text)
}
