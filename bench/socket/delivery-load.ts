/** Writes over a socket that many others listen to, in a process of their own. */
import { answer, requestOf } from '../harness/child.ts'
import { ascending, percentile } from '../harness/percentile.ts'
import { spread } from '../harness/rounds.ts'
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

/** At a pace. Times are 99th percentiles but for the median, in milliseconds. */
export interface PacedFigures {
  /** Messages that have arrived. */
  readonly perSecond: number
  /** From the time that a write is due until it has arrived. */
  readonly p50Ms: number
  readonly p99Ms: number
  /** From the acknowledgement until it has arrived; zero where it was first. */
  readonly afterP99Ms: number
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
const LIFETIME_MS = 170_000

/** Connections that listen to the room. */
class Room {
  latencies: number[] = []
  /** What each message says of the time at which it was written or due, in microseconds. */
  stamps: number[] = []
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
    const at = bytes.indexOf(MARK_CODE, start) + 1
    const stamp = Number(bytes.toString('latin1', at, at + STAMP_LENGTH))
    this.stamps.push(stamp)
    this.latencies.push((stampNow() - stamp) / 1000)
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
  /** From the time that a write is due until it is acknowledged, by that time, in milliseconds. */
  acknowledged = new Map<number, number>()
  readonly #clients: WireClient[] = []
  #underWay = 0

  async open(url: string): Promise<void> {
    for (let each = 0; each < WRITERS; each++) this.#clients.push(await WireClient.connect(url))
  }

  /** Resolves when the last of so many writes is acknowledged. */
  write(perSecond: number, count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const begin = stampNow()
    let written = 0
    const dueAt = (index: number) => Math.round(begin + (index * 1_000_000) / perSecond)
    const timer = setInterval(() => {
      for (; written < count && dueAt(written) <= stampNow() && this.#underWay < MOST_UNDER_WAY; written++) {
        this.#send(written, dueAt(written))
      }
      if (written < count || this.#underWay > 0) return
      clearInterval(timer)
      resolve()
    }, TICK_MS)
    return promise
  }

  #send(index: number, due: number): void {
    this.#underWay++
    const text = `${MARK}${due}`.padEnd(stampedText().length, '.')
    void this.#clients[index % WRITERS]?.request(write(text)).then(() => {
      this.#underWay--
      this.acknowledged.set(due, (stampNow() - due) / 1000)
    })
  }
}

/** Writes at a pace to one server. */
class PacedWork {
  readonly #url: string
  readonly #pace: number
  readonly #listens: number
  readonly #writers = new PacedWriters()

  constructor(url: string, pace: number, listens: number) {
    this.#url = url
    this.#pace = pace
    this.#listens = listens
  }

  async open(): Promise<void> {
    await this.#writers.open(this.#url)
  }

  /** One turn: half of the time nobody listens. */
  async turn(seconds: number): Promise<PacedFigures> {
    const [half, count] = [Math.ceil((this.#pace * seconds) / 2), Math.ceil(this.#pace * seconds)]
    this.#writers.acknowledged.clear()
    await this.#writers.write(this.#pace, half)
    const alone = ascending([...this.#writers.acknowledged.values()])
    const room = new Room()
    await room.open(this.#url, this.#listens)
    this.#writers.acknowledged.clear()
    const arrived = room.expect(count * this.#listens)
    const start = performance.now()
    await Promise.all([this.#writers.write(this.#pace, count), arrived])
    const ms = Math.max(performance.now() - start, seconds * 1000)
    room.checkEven()
    room.close()
    const times = ascending(room.latencies)
    const after = room.latencies.map((latency, index) => {
      return Math.max(0, latency - (this.#writers.acknowledged.get(room.stamps[index] ?? 0) ?? 0))
    })
    return {
      perSecond: (count * this.#listens * 1000) / ms,
      p50Ms: percentile(times, 50),
      p99Ms: percentile(times, 99),
      afterP99Ms: percentile(ascending(after), 99),
      writeP99Ms: percentile(alone, 99),
    }
  }
}

/** The servers take turns; the middle turn counts. */
async function writeAtPace({ servers, listens, seconds, turns, warmSeconds }: DeliveryRequest, pace: number) {
  const works = servers.map(({ url }) => new PacedWork(url, pace, listens))
  for (const work of works) {
    await work.open()
    await work.turn(warmSeconds)
  }
  const figures: PacedFigures[][] = works.map(() => [])
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, work] of works.entries()) figures[index]?.push(await work.turn(seconds / turns))
  }
  return figures.map((all): PacedFigures => {
    const middle = (what: keyof PacedFigures) => spread(all.map((one) => one[what])).median
    return {
      perSecond: middle('perSecond'),
      p50Ms: middle('p50Ms'),
      p99Ms: middle('p99Ms'),
      afterP99Ms: middle('afterP99Ms'),
      writeP99Ms: middle('writeP99Ms'),
    }
  })
}

async function measure(request: DeliveryRequest): Promise<readonly (StreamLoadFigures | PacedFigures)[]> {
  const { servers, listens, pace } = request
  if (pace !== undefined) return await writeAtPace(request, pace)
  return await publishInTurns(await Promise.all(servers.map((server) => openAudience(server, listens))), request)
}

if (import.meta.main) {
  setTimeout(() => process.exit(1), LIFETIME_MS)
  answer(await measure(requestOf<DeliveryRequest>()))
}
