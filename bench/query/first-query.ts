/** The first query by a child that has no index yet, in a process of its own, while others read and write. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../../src/database/database.ts'
import { openTree } from '../../src/open-tree.ts'
import type { Path } from '../../src/tree/path.ts'
import { answer, requestOf } from '../harness/child.ts'
import { LoopProbe } from '../harness/loop-probe.ts'
import { databaseFile } from '../stock/blogs.ts'
import { CHOSEN, PLAIN_PATH, place, placeKey, scattered } from '../stock/places.ts'

export interface FirstQueryRequest {
  /** Of the two lists; one of them gets an index. */
  readonly dataDir: string
  readonly children: number
}

/** Milliseconds, unless the name says otherwise. */
export interface FirstQueryFigures {
  readonly answerMs: number
  /** The same query once more. */
  readonly againMs: number
  /** Longest turn of the loop from the query until 300 ms behind its answer. */
  readonly turnMs: number
  /** The same with the reader and the writer alone. */
  readonly idleTurnMs: number
  readonly readsPerSecond: number
  readonly readsPerSecondBefore: number
  readonly writesPerSecond: number
  readonly writesPerSecondBefore: number
}

/** Reader and writer have the loop to themselves for so long. */
const BEFORE_MS = 500
const AFTERMATH_MS = 300
/** Children of the list that is sorted first so that no code runs for the first time: enough for an index. */
const WARM_CHILDREN = 2000
const WARM_PATH: Path = ['warm']
const PLACES = 5000

async function measureFirstQuery({ dataDir, children }: FirstQueryRequest): Promise<FirstQueryFigures> {
  await using database = openTree({ file: databaseFile(dataDir) })
  await warmUp(database)
  const probe = new LoopProbe()
  const others = new Others(database, children)
  probe.start()
  const running = others.run()
  await wait(BEFORE_MS)
  probe.take()
  const before = others.take()
  await wait(BEFORE_MS)
  const idleTurnMs = probe.take()
  const alone = rates(before, others.take())
  const start = performance.now()
  const spec = { orderBy: 'name', limitToFirst: CHOSEN }
  await select(database, PLAIN_PATH, spec)
  const answerMs = performance.now() - start
  const meanwhile = rates({ at: start }, others.take())
  await wait(AFTERMATH_MS)
  const turnMs = probe.stop()
  await others.stop(running)
  const againMs = await timed(() => select(database, PLAIN_PATH, spec))
  return {
    answerMs,
    againMs,
    turnMs,
    idleTurnMs,
    readsPerSecond: meanwhile.reads,
    readsPerSecondBefore: alone.reads,
    writesPerSecond: meanwhile.writes,
    writesPerSecondBefore: alone.writes,
  }
}

async function warmUp(database: Database): Promise<void> {
  const indexes = Array.from({ length: WARM_CHILDREN }, (_, index) => index)
  await database.put(
    WARM_PATH,
    Object.fromEntries(indexes.map((index) => [placeKey(index), place(index, WARM_CHILDREN)])),
  )
  await select(database, WARM_PATH, { orderBy: 'name', limitToFirst: CHOSEN })
}

async function select(database: Database, path: Path, spec: { orderBy: string; limitToFirst: number }): Promise<void> {
  const { children } = await database.query(path, spec)
  if (children.length !== CHOSEN) throw new Error(`${children.length} children, not ${CHOSEN}`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

interface Taken {
  readonly at: number
  readonly reads: number
  readonly writes: number
}

/** Work for each second between two moments. */
function rates({ at }: { readonly at: number }, taken: Taken): { reads: number; writes: number } {
  const seconds = (taken.at - at) / 1000
  return { reads: taken.reads / seconds, writes: taken.writes / seconds }
}

/** One reader and one writer of leaves of the list, each doing one thing after the other. */
class Others {
  readonly #database: Database
  readonly #paths: readonly Path[]
  #running = true
  #reads = 0
  #writes = 0

  constructor(database: Database, children: number) {
    this.#database = database
    this.#paths = scattered(children, PLACES).map((index) => [...PLAIN_PATH, placeKey(index), 'name'])
  }

  /** Resolves behind `stop`. */
  async run(): Promise<void> {
    await Promise.all([this.#read(), this.#write()])
  }

  stop(running: Promise<void>): Promise<void> {
    this.#running = false
    return running
  }

  /** What was done since the last call. */
  take(): Taken {
    const taken = { at: performance.now(), reads: this.#reads, writes: this.#writes }
    this.#reads = 0
    this.#writes = 0
    return taken
  }

  async #read(): Promise<void> {
    for (let index = 0; this.#running; index++) {
      const node = await this.#database.node(this.#path(index))
      if (node === undefined) throw new Error('A place has no name')
      this.#reads++
      await new Promise(setImmediate)
    }
  }

  async #write(): Promise<void> {
    for (let index = 0; this.#running; index++) {
      await this.#database.put(this.#path(index), `new name ${index}`)
      this.#writes++
    }
  }

  #path(index: number): Path {
    return this.#paths[index % this.#paths.length] ?? []
  }
}

if (import.meta.main) answer(await measureFirstQuery(requestOf<FirstQueryRequest>()))
