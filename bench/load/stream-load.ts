/** Listens to many streams while a server publishes, in a process of its own. */
import { answer, requestOf } from '../harness/child.ts'
import { cpuMsSince, readCpu, untilQuiet } from '../harness/proc.ts'
import { tokenOf } from './credential.ts'
import { StreamClients } from './stream-clients.ts'
import { Control, Poster, type Publisher } from './stream-publisher.ts'

export interface StreamLoadRequest {
  readonly url: string
  /** The server's process. */
  readonly pid: number
  /** Port that takes orders. */
  readonly control: number
  /** Whether that port takes the messages themselves, over HTTP. */
  readonly posted: boolean
  /** Request target of each stream. */
  readonly streams: readonly string[]
  /** Whether each shows a token of a user of its own. */
  readonly withTokens: boolean
  /** Streams that get what is published. */
  readonly concerned: number
  /** Messages published at once; the next are when all of these have arrived. */
  readonly inFlight: number
  readonly seconds: number
  readonly warmSeconds: number
}

export interface StreamLoadFigures {
  /** Processor time of the server for one message, all its threads, in microseconds. */
  readonly publishUs: number
  /** The same when nobody listens. */
  readonly unheardUs: number
  /** What one delivery adds. */
  readonly deliveryUs: number
  readonly perSecond: number
  /** From publishing to arrival. */
  readonly p50Ms: number
  readonly p99Ms: number
}

interface Published {
  readonly messages: number
  readonly ms: number
  readonly cpuMs: number
}

/** Something is wrong when it takes longer. */
const LIFETIME_MS = 60_000

async function runLoad(request: StreamLoadRequest): Promise<StreamLoadFigures> {
  const { url, control, posted, concerned, warmSeconds, seconds } = request
  const streams = request.withTokens ? await showingTokens(request.streams) : request.streams
  const publisher = posted ? new Poster(`http://127.0.0.1:${control}/publish`) : await Control.connect(control)
  const clients = new StreamClients()
  const publishFor = (length: number, listeners: number) => measure(request, publisher, clients, length, listeners)
  await clients.open(url, streams)
  await publishFor(warmSeconds, concerned)
  clients.latencies = []
  const heard = await publishFor(seconds, concerned)
  if (concerned > 0) clients.checkEven()
  const latencies = clients.latencies.sort((left, right) => left - right)
  clients.close()
  // Last, when all code is as warm as it was before.
  await publishFor(warmSeconds, 0)
  const unheard = await publishFor(seconds / 2, 0)
  const [publishUs, unheardUs] = [microseconds(heard), microseconds(unheard)]
  return {
    publishUs,
    unheardUs,
    deliveryUs: (publishUs - unheardUs) / concerned,
    perSecond: (heard.messages * concerned * 1000) / heard.ms,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  }
}

function showingTokens(streams: readonly string[]): Promise<string[]> {
  return Promise.all(streams.map(async (stream, user) => `${stream}?auth=${await tokenOf(user)}`))
}

async function measure(
  { pid, inFlight }: StreamLoadRequest,
  publisher: Publisher,
  clients: StreamClients,
  seconds: number,
  listeners: number,
): Promise<Published> {
  await untilQuiet(pid)
  const before = readCpu(pid)
  const start = performance.now()
  let messages = 0
  let ms = 0
  while (ms < seconds * 1000) {
    const arrived = clients.expect(inFlight * listeners)
    await Promise.all([publisher.publish(inFlight), arrived])
    messages += inFlight
    ms = performance.now() - start
  }
  await untilQuiet(pid)
  return { messages, ms, cpuMs: cpuMsSince(pid, before) }
}

function microseconds({ messages, cpuMs }: Published): number {
  return (cpuMs * 1000) / messages
}

if (import.meta.main) {
  setTimeout(() => process.exit(1), LIFETIME_MS)
  answer(await runLoad(requestOf<StreamLoadRequest>()))
}
