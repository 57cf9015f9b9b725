/** Sends the mix with more and more clients while streams listen, in a process of its own. */
import { answer, requestOf } from '../harness/child.ts'
import { ascending, percentile } from '../harness/percentile.ts'
import { cpuMsSince, readCpu, untilQuiet } from '../harness/proc.ts'
import { StreamClients } from '../load/stream-clients.ts'
import { Crowd } from './crowd.ts'
import type { Concurrency } from './knee.ts'
import { Mix, WATCHED } from './mix.ts'

/** A server to send the mix to. */
interface Served {
  readonly url: string
  /** The server's process. */
  readonly pid: number
  /** Whether `GET /commits` tells how long each transaction held the loop, in milliseconds. */
  readonly commits: boolean
}

export interface MixedLoadRequest {
  /** They take turns, step by step, so that a slow minute of the machine is a slow minute for all of them. */
  readonly servers: readonly Served[]
  /** Leaves of the tree, and children of the list. */
  readonly size: number
  /** Open all the time; a multiple of `WATCHED`. */
  readonly streams: number
  /** Each with one request under way; ascending. */
  readonly clients: readonly number[]
  /** Length of each step, and of the load before them that is not counted. */
  readonly stepSeconds: number
  readonly warmSeconds: number
}

/** Times in milliseconds, from sending to the last byte of the answer. */
export interface Step extends Concurrency {
  /** Requests of all kinds. */
  readonly perSecond: number
  /** Processor time of the server for one request, all its threads, with the messages of its streams, in microseconds. */
  readonly cpuUs: number
  readonly getP50Ms: number
  readonly putP50Ms: number
  readonly putP99Ms: number
  readonly queryP99Ms: number
  /** Messages of streams. */
  readonly deliveriesPerSecond: number
  /** From sending a write to the arrival of its message. */
  readonly deliveryP99Ms: number
  /** How long a transaction held the loop; 0 of a server that does not tell. */
  readonly commitP99Ms: number
}

export interface MixedLoadFigures {
  /** Of GET, when one client reads and nobody writes. */
  readonly idleP50Ms: number
  readonly idleP99Ms: number
  readonly steps: readonly Step[]
}

/** Clients of the load that is not counted. */
const WARM_CLIENTS = 16
/** Something is wrong when it takes longer. */
const LIFETIME_MS = 120_000

async function runLoad(request: MixedLoadRequest): Promise<MixedLoadFigures[]> {
  const { servers, size, streams, clients, stepSeconds, warmSeconds } = request
  const loads: MixedLoad[] = []
  for (const served of servers) loads.push(await MixedLoad.open(served, size, streams))
  for (const load of loads) await load.takeStep(WARM_CLIENTS, warmSeconds)
  for (const load of loads) await load.readAlone(stepSeconds)
  for (const count of clients) {
    for (const load of loads) load.steps.push(await load.takeStep(count, stepSeconds))
  }
  return loads.map((load) => load.close())
}

/** What is sent to one server, and what came of it. */
class MixedLoad {
  readonly steps: Step[] = []
  readonly #served: Served
  readonly #mix: Mix
  readonly #streams: number
  readonly #listeners = new StreamClients()
  /** Ascending. */
  #idle: readonly number[] = []

  private constructor(served: Served, size: number, streams: number) {
    this.#served = served
    this.#mix = new Mix(served.url, size)
    this.#streams = streams
  }

  static async open(served: Served, size: number, streams: number): Promise<MixedLoad> {
    const load = new MixedLoad(served, size, streams)
    const targets = Array.from({ length: streams }, (_, index) => load.#mix.watched[index % WATCHED] ?? '')
    await load.#listeners.open(served.url, targets)
    return load
  }

  /** One client that only reads while nobody writes. */
  async readAlone(seconds: number): Promise<void> {
    using crowd = await Crowd.open(this.#served.url, this.#mix, 1)
    await untilQuiet(this.#served.pid)
    const { times } = await crowd.send(seconds, () => this.#mix.nextGet())
    this.#idle = ascending(times.get)
  }

  async takeStep(clients: number, seconds: number): Promise<Step> {
    const { url, pid, commits } = this.#served
    using crowd = await Crowd.open(url, this.#mix, clients)
    if (commits) await this.#takeCommits()
    await untilQuiet(pid)
    const before = { cpu: readCpu(pid), messages: this.#listeners.messages }
    this.#listeners.latencies = []
    const { times, watchedWrites, ms } = await crowd.send(seconds, () => this.#mix.next())
    const messages = (watchedWrites * this.#streams) / WATCHED
    await this.#untilArrived(before.messages + messages)
    await untilQuiet(pid)
    const cpuMs = cpuMsSince(pid, before.cpu)
    const requests = times.get.length + times.put.length + times.query.length
    const [gets, puts, queries] = [ascending(times.get), ascending(times.put), ascending(times.query)]
    return {
      clients,
      perSecond: (requests * 1000) / ms,
      cpuUs: (cpuMs * 1000) / requests,
      getP50Ms: percentile(gets, 50),
      getP99Ms: percentile(gets, 99),
      putP50Ms: percentile(puts, 50),
      putP99Ms: percentile(puts, 99),
      queryP99Ms: percentile(queries, 99),
      deliveriesPerSecond: (messages * 1000) / ms,
      deliveryP99Ms: percentile(ascending(this.#listeners.latencies), 99),
      commitP99Ms: commits ? percentile(ascending(await this.#takeCommits()), 99) : 0,
    }
  }

  /** How long each transaction since the last call held the loop, in milliseconds. */
  async #takeCommits(): Promise<number[]> {
    const reply = await fetch(`${this.#served.url}/commits`, { tls: { rejectUnauthorized: false } })
    return (await reply.json()) as number[]
  }

  close(): MixedLoadFigures {
    this.#listeners.close()
    return { idleP50Ms: percentile(this.#idle, 50), idleP99Ms: percentile(this.#idle, 99), steps: this.steps }
  }

  /** @param messages of all streams, since they were opened */
  async #untilArrived(messages: number): Promise<void> {
    const missing = messages - this.#listeners.messages
    if (missing < 0) throw new Error(`The streams told of ${-missing} writes too many`)
    await this.#listeners.expect(missing)
  }
}

if (import.meta.main) {
  setTimeout(() => process.exit(1), LIFETIME_MS)
  answer(await runLoad(requestOf<MixedLoadRequest>()))
}
