/** Writes over a socket that many others listen to, in a process of their own. */
import { answer, requestOf } from '../harness/child.ts'
import { ascending, percentile } from '../harness/percentile.ts'
import { type Audience, publishInTurns, type StreamLoadFigures } from '../load/stream-load.ts'
import { MARK, STAMP_LENGTH, stampedText, stampNow } from '../load/stream-message.ts'
import type { Publisher } from '../load/stream-publisher.ts'
import { ROOM_PATH } from './room.ts'
import { requestFrame, WireClient } from './wire-client.ts'

export interface DeliveryServer {
  readonly url: string
  readonly pid: number
}

/** As fast as it goes, one write after the other. */
export interface DeliveryRequest {
  readonly servers: readonly DeliveryServer[]
  readonly listens: number
  /** Of each server: measured, in so many turns, and before that. */
  readonly seconds: number
  readonly turns: number
  readonly warmSeconds: number
  /** So many writes a second, however long they take. */
  readonly pace?: number
}

/** At a pace. */
export interface PacedFigures {
  /** Messages that have arrived. */
  readonly perSecond: number
  /** From the time that a write is due until it has arrived, in milliseconds. */
  readonly p50Ms: number
  readonly p99Ms: number
  /** From the time that a write is due until it is acknowledged, while no connection listens. */
  readonly writeP99Ms: number
}

const MARK_CODE = MARK.charCodeAt(0)
/** Connections that write at a pace. */
const WRITERS = 8
/** Writes under way, after which a server that does not keep pace is not sent more. */
const MOST_UNDER_WAY = 500
const TICK_MS = 1
/** Something is wrong when it takes longer. */
const LIFETIME_MS = 60_000

/** Connections that listen to the room. */
class Room {
  latencies: number[] = []
  readonly #clients: WireClient[] = []
  #messages = 0
  #expected = 0
  #arrived = Promise.withResolvers<void>()

  async open(url: string, count: number): Promise<void> {
    for (let each = 0; each < count; each++) {
      const client = await WireClient.connect(url)
      await client.listen(ROOM_PATH)
      client.pushes = 0
      client.onPush = (bytes, start) => this.#arrive(bytes, start)
      this.#clients.push(client)
    }
  }

  expect(messages: number): Promise<void> {
    this.#expected = this.#messages + messages
    if (messages === 0) return Promise.resolve()
    this.#arrived = Promise.withResolvers<void>()
    return this.#arrived.promise
  }

  checkEven(): void {
    const counts = new Set(this.#clients.map(({ pushes }) => pushes))
    if (counts.size > 1) throw new Error(`Connections got between ${Math.min(...counts)} and ${Math.max(...counts)}`)
  }

  close(): void {
    for (const client of this.#clients.splice(0)) client.close()
  }

  #arrive(bytes: Buffer, start: number): void {
    const stamp = bytes.indexOf(MARK_CODE, start) + 1
    this.latencies.push((stampNow() - Number(bytes.toString('latin1', stamp, stamp + STAMP_LENGTH))) / 1000)
    if (++this.#messages === this.#expected) this.#arrived.resolve()
  }
}

function write(text: string): Buffer {
  return requestFrame('p', { p: ROOM_PATH, d: text })
}

async function openAudience({ url, pid }: DeliveryServer, listens: number): Promise<Audience> {
  const clients = new Room()
  const writer = await WireClient.connect(url)
  const publisher: Publisher = {
    publish: async (count) => {
      await Promise.all(Array.from({ length: count }, () => writer.request(write(stampedText()))))
    },
  }
  // A listen begins with what is there.
  await publisher.publish(1)
  await clients.open(url, listens)
  return { pid, concerned: listens, inFlight: 1, clients, publisher }
}

/** Connections that write when it is time. */
class PacedWriters {
  /** From the time that a write is due until it is acknowledged, in milliseconds. */
  latencies: number[] = []
  readonly #clients: WireClient[] = []
  #underWay = 0

  async open(url: string): Promise<void> {
    for (let each = 0; each < WRITERS; each++) this.#clients.push(await WireClient.connect(url))
  }

  /** Resolves with the number of writes when the last is acknowledged. */
  write(perSecond: number, seconds: number): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>()
    const begin = stampNow()
    const count = Math.ceil(perSecond * seconds)
    let written = 0
    const dueAt = (index: number) => Math.round(begin + (index * 1_000_000) / perSecond)
    const timer = setInterval(() => {
      for (; written < count && dueAt(written) <= stampNow() && this.#underWay < MOST_UNDER_WAY; written++) {
        this.#send(written, dueAt(written))
      }
      if (written < count || this.#underWay > 0) return
      clearInterval(timer)
      resolve(count)
    }, TICK_MS)
    return promise
  }

  #send(index: number, due: number): void {
    this.#underWay++
    const text = `${MARK}${due}`.padEnd(stampedText().length, '.')
    void this.#clients[index % WRITERS]?.request(write(text)).then(() => {
      this.#underWay--
      this.latencies.push((stampNow() - due) / 1000)
    })
  }
}

async function writeAtPace({ url }: DeliveryServer, request: DeliveryRequest, pace: number): Promise<PacedFigures> {
  const { listens, seconds, warmSeconds } = request
  const writers = new PacedWriters()
  await writers.open(url)
  await writers.write(pace, warmSeconds)
  writers.latencies = []
  await writers.write(pace, seconds / 2)
  const alone = ascending(writers.latencies)
  const room = new Room()
  await room.open(url, listens)
  const write = async (length: number) => {
    const arrived = room.expect(Math.ceil(pace * length) * listens)
    const start = performance.now()
    await Promise.all([writers.write(pace, length), arrived])
    const ms = Math.max(performance.now() - start, length * 1000)
    return (Math.ceil(pace * length) * listens * 1000) / ms
  }
  await write(warmSeconds)
  room.latencies = []
  const perSecond = await write(seconds)
  room.checkEven()
  room.close()
  const times = ascending(room.latencies)
  return {
    perSecond,
    p50Ms: percentile(times, 50),
    p99Ms: percentile(times, 99),
    writeP99Ms: percentile(alone, 99),
  }
}

async function measure(request: DeliveryRequest): Promise<readonly (StreamLoadFigures | PacedFigures)[]> {
  const { servers, listens, pace } = request
  if (pace === undefined) {
    return publishInTurns(await Promise.all(servers.map((server) => openAudience(server, listens))), request)
  }
  const figures: PacedFigures[] = []
  for (const server of servers) figures.push(await writeAtPace(server, request, pace))
  return figures
}

if (import.meta.main) {
  setTimeout(() => process.exit(1), LIFETIME_MS)
  answer(await measure(requestOf<DeliveryRequest>()))
}
