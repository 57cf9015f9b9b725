/** What a server keeps in memory for streams on which nothing happens, in a process of its own. */
import { setTimeout as wait } from 'node:timers/promises'
import { answer, requestOf } from '../harness/child.ts'
import { residentKb, untilQuiet } from '../harness/proc.ts'
import { StreamClients } from './stream-clients.ts'
import { Control } from './stream-publisher.ts'

export interface StreamMemoryRequest {
  readonly url: string
  /** The server's process. */
  readonly pid: number
  readonly control: number
  /** Request target of every stream. */
  readonly stream: string
  readonly subscribers: number
}

export interface StreamMemoryFigures {
  /** For one stream, in KiB. */
  readonly kb: number
}

/** Streams that come and go before, so that no code runs for the first time. */
const EARLIER = 500
const SETTLE_MS = 300
/** Something is wrong when it takes longer. */
const LIFETIME_MS = 60_000

async function measureMemory(request: StreamMemoryRequest): Promise<StreamMemoryFigures> {
  const { url, stream, subscribers, control: port } = request
  const control = await Control.connect(port)
  const earlier = new StreamClients()
  await earlier.open(url, new Array<string>(EARLIER).fill(stream))
  earlier.close()
  const before = await settled(request, control)
  const clients = new StreamClients()
  await clients.open(url, new Array<string>(subscribers).fill(stream))
  const after = await settled(request, control)
  clients.checkEven()
  return { kb: (after - before) / subscribers }
}

async function settled({ pid }: StreamMemoryRequest, control: Control): Promise<number> {
  await untilQuiet(pid)
  await control.collect()
  await wait(SETTLE_MS)
  await control.collect()
  await untilQuiet(pid)
  return residentKb(pid)
}

if (import.meta.main) {
  setTimeout(() => process.exit(1), LIFETIME_MS)
  answer(await measureMemory(requestOf<StreamMemoryRequest>()))
}
