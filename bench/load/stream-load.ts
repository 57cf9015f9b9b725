/** Listens to many streams while a server publishes, in a process of its own. */
import { answer, requestOf } from '../harness/child.ts'
import { ascending, percentile } from '../harness/percentile.ts'
import { cpuMsSince, readCpu, untilQuiet } from '../harness/proc.ts'
import { spread } from '../harness/rounds.ts'
import { tokenOf } from './credential.ts'
import { StreamClients } from './stream-clients.ts'
import { Control, Poster, type Publisher } from './stream-publisher.ts'

/** Publishing to the streams of one server. */
export interface StreamLoad {
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
}

export interface StreamLoadRequest {
  readonly loads: readonly StreamLoad[]
  /** Of each load: measured, in so many turns, and before that. */
  readonly seconds: number
  readonly turns: number
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

/** The servers take turns, so that a slow minute of the machine is a slow minute for all of them. */
export async function publishInTurns(
  audiences: readonly Audience[],
  { seconds, turns, warmSeconds }: Omit<StreamLoadRequest, 'loads'>,
): Promise<StreamLoadFigures[]> {
  for (const audience of audiences) await publish(audience, warmSeconds, audience.concerned)
  for (const { clients } of audiences) clients.latencies = []
  const heard = await inTurns(audiences, turns, (audience) => publish(audience, seconds / turns, audience.concerned))
  const latencies = audiences.map(({ clients, concerned }) => {
    if (concerned > 0) clients.checkEven()
    clients.close()
    return ascending(clients.latencies)
  })
  // Last, when all code is as warm as it was before.
  for (const audience of audiences) await publish(audience, warmSeconds / 2, 0)
  const unheard = await inTurns(audiences, turns, (audience) => publish(audience, seconds / turns / 2, 0))
  return audiences.map(({ concerned }, index) => {
    const [publishUs, unheardUs] = [middleUs(heard[index] ?? []), middleUs(unheard[index] ?? [])]
    const times = latencies[index] ?? []
    return {
      publishUs,
      unheardUs,
      deliveryUs: (publishUs - unheardUs) / concerned,
      perSecond: spread((heard[index] ?? []).map(({ messages, ms }) => (messages * concerned * 1000) / ms)).median,
      p50Ms: percentile(times, 50),
      p99Ms: percentile(times, 99),
    }
  })
}

/** Those who listen to one server, and who has it publish. */
export interface Audience extends Pick<StreamLoad, 'pid' | 'concerned' | 'inFlight'> {
  readonly clients: Listeners
  readonly publisher: Publisher
}

/** Connections that listen. */
interface Listeners {
  /** From publishing to arrival, in milliseconds. */
  latencies: number[]
  /** Resolves when so many more messages have arrived. */
  expect(messages: number): Promise<void>
  /** @throws unless every connection got as many messages as every other */
  checkEven(): void
  close(): void
}

async function openAudience(load: StreamLoad): Promise<Audience> {
  const { url, pid, control, posted, concerned, inFlight } = load
  const streams = load.withTokens ? await showingTokens(load.streams) : load.streams
  const publisher = posted ? new Poster(`http://127.0.0.1:${control}/publish`) : await Control.connect(control)
  const clients = new StreamClients()
  await clients.open(url, streams)
  return { pid, concerned, inFlight, clients, publisher }
}

/** @returns what each came to, turn by turn */
async function inTurns(
  audiences: readonly Audience[],
  turns: number,
  measure: (audience: Audience) => Promise<Published>,
): Promise<Published[][]> {
  const measured: Published[][] = audiences.map(() => [])
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, audience] of audiences.entries()) measured[index]?.push(await measure(audience))
  }
  return measured
}

function showingTokens(streams: readonly string[]): Promise<string[]> {
  return Promise.all(streams.map(async (stream, user) => `${stream}?auth=${await tokenOf(user)}`))
}

/** @param listeners that get each message */
async function publish(
  { pid, inFlight, publisher, clients }: Audience,
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

/** Processor time of one message in the middle turn. */
function middleUs(turns: readonly Published[]): number {
  return spread(turns.map(({ messages, cpuMs }) => (cpuMs * 1000) / messages)).median
}

if (import.meta.main) {
  setTimeout(() => process.exit(1), LIFETIME_MS)
  const { loads, ...times } = requestOf<StreamLoadRequest>()
  answer(await publishInTurns(await Promise.all(loads.map(openAudience)), times))
}
