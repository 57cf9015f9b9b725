import type { Lanes } from '../../../src/store/postgres/connection/lanes.ts'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import { DATABASE_NOW } from '../../../src/store/postgres/processes.ts'
import { print } from '../../../src/tree/json/print.ts'
import { valueInRows } from '../../support/postgres/rows-of-tree.ts'
import { Random } from '../crash/random.ts'
import { checkDoorReads } from './checks/check-door-reads.ts'
import { checkMessages } from './checks/check-messages.ts'
import { checkReads } from './checks/check-reads.ts'
import { checkStream } from './checks/check-streams.ts'
import { checkConditions, checkKeys, checkOnce, checkOrder, checkRules, placesOf } from './checks/check-writes.ts'
import { readLog } from './checks/log-of-tree.ts'
import { Replay } from './checks/replay.ts'
import { History } from './clients/history.ts'
import { Listener } from './clients/listener.ts'
import { MessageClient, Messages } from './clients/message-client.ts'
import { PLACES, SHARED_NODES } from './clients/places.ts'
import { RulesClient } from './clients/rules-client.ts'
import { ask } from './clients/sender.ts'
import { TreeClient } from './clients/tree-client.ts'
import { Cluster } from './cluster.ts'
import { type FaultKind, Faults, plannedFaults, USUAL } from './faults.ts'

const TREE_CLIENTS = 10
const MESSAGE_CLIENTS = 2
const LISTENED = ['/k', '/k', '/n', '/list', '/k/0'] as const
const MOST_PAUSE_MS = 50
/** Longest wait for all to be told, in milliseconds; only what has gone wrong takes it, or a dead process's leases. */
const PATIENCE_MS = 30_000
/** Time without a sign of life after which a process was killed, in milliseconds; the living give one every two seconds. */
const DEAD_MS = 4000

export interface Plan {
  readonly seed: number
  readonly faults: number
  readonly processes?: number
  /** How many of how many faults are of each kind. Default: all kinds. */
  readonly shares?: Partial<Record<FaultKind, number>>
  /** Time without faults at the end, in milliseconds. Default 0. */
  readonly calmMs?: number
  /** Name of a fault in the engine that the checks should find. */
  readonly planted?: string
  /** Hears of each fault before it is made. */
  readonly onFault?: (number: number, kind: FaultKind) => void
}

export interface Result {
  readonly problems: readonly string[]
  readonly acknowledged: number
  readonly unknown: number
  readonly refused: number
  readonly reads: number
  readonly told: number
  readonly resumed: number
  readonly messages: number
  readonly faults: ReadonlyMap<FaultKind, number>
}

/** Loads a cluster, makes faults in it, and compares what everybody was told with what is in the database. */
export async function runCluster(plan: Plan): Promise<Result> {
  const { seed, faults: count, processes = 3, shares = USUAL, calmMs = 0, planted = '', onFault } = plan
  const random = new Random(seed)
  const startedAt = Date.now()
  await using cluster = await Cluster.start(processes, planted)
  const cast = new Cast(cluster, random)
  const faults = new Faults(cluster, random.fork())
  cast.start()
  const pauses = random.fork()
  for (const [index, kind] of plannedFaults(count, random.fork(), shares).entries()) {
    onFault?.(index + 1, kind)
    await faults.make(kind)
    await Bun.sleep(pauses.below(MOST_PAUSE_MS))
  }
  faults.calm()
  await Bun.sleep(calmMs)
  await cast.stop()
  const problems = await cast.problems(cluster, startedAt, faults)
  const { history, listeners, messages } = cast
  return {
    problems,
    acknowledged: history.count('acknowledged'),
    unknown: history.count('unknown'),
    refused: history.count('refused'),
    reads: history.reads.length,
    told: listeners.reduce((sum, { told }) => sum + told.length, 0),
    resumed: listeners.reduce((sum, { resumed }) => sum + resumed, 0),
    messages: messages.reported.size,
    faults: faults.made,
  }
}

/** All clients of a run. */
class Cast {
  readonly history = new History()
  readonly messages = new Messages()
  readonly listeners: readonly Listener[]
  readonly #trees: readonly TreeClient[]
  readonly #rules: RulesClient
  readonly #senders: readonly MessageClient[]
  readonly #random: Random
  #isOver = false
  #working: Promise<unknown> = Promise.resolve()

  constructor(cluster: Cluster, random: Random) {
    this.#random = random
    const any = () => {
      const own = random.fork()
      return () => cluster.any(own)
    }
    this.#rules = new RulesClient(this.history, any())
    this.#trees = Array.from(
      { length: TREE_CLIENTS },
      () =>
        new TreeClient({
          history: this.history,
          random: random.fork(),
          any: any(),
          all: () => cluster.members.map(({ child }) => child),
          rulesVersion: () => this.#rules.version,
        }),
    )
    this.#senders = Array.from(
      { length: MESSAGE_CLIENTS },
      (_, at) => new MessageClient(`m${at}`, this.messages, random.fork(), any()),
    )
    this.listeners = LISTENED.map((place) => new Listener(place, random.fork(), any()))
  }

  start(): void {
    for (const listener of this.listeners) listener.start()
    const pause = () => Bun.sleep(20 + this.#random.below(40))
    this.#working = Promise.all([
      ...this.#trees.map((client) => this.#repeat(() => client.act())),
      ...this.#senders.map((client) => this.#repeat(async () => void (await Promise.all([client.act(), pause()])))),
      this.#repeat(async () => void (await Promise.all([this.#rules.act(), Bun.sleep(100)]))),
    ])
  }

  async #repeat(act: () => Promise<void>): Promise<void> {
    while (!this.#isOver) await act()
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#working
  }

  /** What is wrong, when all is calm. */
  async problems(cluster: Cluster, startedAt: number, faults: Faults): Promise<string[]> {
    const found = await this.#mark(cluster)
    const database = await PostgresDatabase.open({ url: cluster.postgres.url })
    try {
      await this.#drain(database.lanes)
      const [{ tree } = { tree: 0 }] = await database.lanes.query<{ tree: number }>('SELECT tree FROM application', [])
      const log = await readLog(database.lanes, tree, { from: startedAt - 1000, to: Date.now() + 1000 })
      const replay = new Replay(log.commits)
      found.push(...log.problems)
      await this.#hear(replay)
      const rows = await valueInRows(database.lanes, tree)
      const text = rows === undefined ? 'null' : print(rows, 'plain')
      if (text !== replay.end) found.push(`rows: ${text.slice(0, 300)}, by the log ${replay.end.slice(0, 300)}`)
      const places = placesOf(log)
      const beginnings = (faults.made.get('promotion') ?? 0) * cluster.members.length
      found.push(
        ...this.history.problems,
        ...checkOnce(this.history, places),
        ...checkOrder(this.history, places),
        ...checkKeys(this.history, log, places),
        ...checkConditions(this.history, places, replay),
        ...checkRules(this.history, log),
        ...checkDoorReads(this.history, log),
        ...checkReads(this.history, places, replay),
        ...this.listeners.flatMap(({ place, told, problems }) => [
          ...problems,
          ...checkStream(place, told, replay, { beginnings, rulesPutAt: log.rulesPutAt }),
        ]),
        ...checkMessages(this.messages, faults.lastAt),
      )
      return found
    } finally {
      await database.close()
    }
  }

  /** Writes to every place once more, and reads all on every process. */
  async #mark(cluster: Cluster): Promise<string[]> {
    const found: string[] = []
    const [marker] = this.#trees
    for (let node = 0; node < SHARED_NODES; node++) await marker?.put(`/k/${node}`)
    await marker?.put('/n/last')
    for (const { child } of cluster.members) {
      for (const place of PLACES) {
        const sentAt = performance.now()
        const answer = await ask(child, 'GET', `${place}.json`)
        if (answer?.status !== 200)
          found.push(`in the end, GET ${place}: ${answer?.status} ${answer?.text.slice(0, 100)}`)
        else this.history.reads.push({ place, text: answer.text, sentAt, endedAt: performance.now() })
      }
    }
    return found
  }

  /** Fetches news until all is told. Processes that were killed are taken for dead at once. */
  async #drain(lanes: Lanes): Promise<void> {
    const [client] = this.#senders
    await lanes.query(`DELETE FROM process WHERE seen_at < ${DATABASE_NOW} - ${DEAD_MS}`, [])
    const end = performance.now() + PATIENCE_MS
    while (client !== undefined && performance.now() < end) {
      const count = await client.fetchNews()
      if (count > 0) continue
      if (this.messages.untold === 0) return
      await Bun.sleep(100)
    }
  }

  /** Waits until all listeners were told the last commit of their places. */
  async #hear(replay: Replay): Promise<void> {
    const end = performance.now() + PATIENCE_MS
    for (const listener of this.listeners) {
      const last = replay.versions(listener.place).at(-1)?.seq ?? 0
      while (listener.lastSeq < last && performance.now() < end) await Bun.sleep(10)
      await listener.stop()
    }
  }
}
