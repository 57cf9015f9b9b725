/** What those who listen cost the writes of the same process, without HTTP and without connections. */
import { join } from 'node:path'
import type { Database } from '../../src/database/database.ts'
import { sseEncoder } from '../../src/http/streams/sse-encoder.ts'
import type { Sink } from '../../src/hub/sink.ts'
import { silentObserver } from '../../src/observer.ts'
import { openTree } from '../../src/open-tree.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { defaultLimits } from '../../src/tree/limits.ts'
import { planPut } from '../../src/tree/write.ts'
import { answer, requestOf } from '../harness/child.ts'
import { medianCpuMicroseconds, type SliceOptions, timeInTurns } from '../harness/slices.ts'
import { databaseFile, leafPaths } from '../stock/blogs.ts'

export interface EmbeddedPublishRequest extends SliceOptions {
  /** An empty directory. */
  readonly scratchDir: string
  /** Trees of different sizes, smallest first. */
  readonly dataDirs: readonly string[]
  /** Subscribers to one node. */
  readonly subscribers: number
  /** Subscribers to other nodes than the one that is written. */
  readonly others: number
}

export const WRITERS = { one: 1, many: 32 } as const
export type Writers = keyof typeof WRITERS

/** Where: to a store with nothing around it, a database without subscribers, one with many elsewhere, and watched trees. */
export type Written = 'bare' | 'alone' | 'crowded' | 'small' | 'large'

/** Processor time of one write, in microseconds. */
export type EmbeddedPublishFigures = Readonly<Record<`${Written} ${Writers}`, number>>

const ENCODER = sseEncoder()

/** Takes its messages and drops them. */
const DROP: Sink = {
  write(batch) {
    return batch.encoded(ENCODER, undefined).length > 0 ? undefined : Promise.resolve()
  },
  keepAlive() {},
  end() {},
  abort() {},
}
const BUSY = ['rooms', 'busy', 'title']
/** The first leaf is the same in every tree. */
const LEAST_LEAVES = 1000

type Put = (text: string) => Promise<unknown>

async function measurePublishing(request: EmbeddedPublishRequest): Promise<EmbeddedPublishFigures> {
  const { scratchDir, dataDirs, subscribers, others } = request
  const open = (name: string) => openTree({ file: join(scratchDir, name) })
  await using store = new SqliteStore(join(scratchDir, 'bare'), {}, silentObserver)
  await using alone = open('alone')
  await using crowded = open('crowded')
  for (let room = 0; room < others; room++) await crowded.subscribe(['rooms', `room-${room}`], {}, DROP)
  const [smallDir = '', largeDir = ''] = dataDirs
  await using small = openTree({ file: databaseFile(smallDir) })
  await using large = openTree({ file: databaseFile(largeDir) })
  const [leaf = []] = leafPaths(LEAST_LEAVES, 1)
  for (const tree of [small, large]) {
    for (let count = 0; count < subscribers; count++) await tree.subscribe(leaf.slice(0, -1), {}, DROP)
  }
  return {
    ...(await compare({ bare: bareWrite(store), alone: write(alone, BUSY), crowded: write(crowded, BUSY) }, request)),
    ...(await compare({ small: write(small, leaf), large: write(large, leaf) }, request)),
  } as EmbeddedPublishFigures
}

function write(database: Database, path: readonly string[]): Put {
  return (text) => database.put(path, text)
}

/** The same write without anything around the store. */
function bareWrite(store: SqliteStore): Put {
  return (text) => {
    const { kind, path, writes } = planPut(BUSY, text, defaultLimits)
    // biome-ignore lint/correctness/useYield: a job that has nothing to ask
    return store.commit(function* () {
      return { result: undefined, change: { kind, path, writes } }
    })
  }
}

async function compare(puts: Readonly<Record<string, Put>>, options: SliceOptions): Promise<Record<string, number>> {
  const figures: Record<string, number> = {}
  for (const [writers, count] of Object.entries(WRITERS)) {
    const timed = await timeInTurns(
      Object.values(puts).map((put) => (index) => putAtOnce(put, index, count)),
      options,
    )
    for (const [position, name] of Object.keys(puts).entries()) {
      const each = timed[position]
      if (each !== undefined) figures[`${name} ${writers}`] = medianCpuMicroseconds(each) / count
    }
  }
  return figures
}

function putAtOnce(put: Put, index: number, count: number): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, (_, writer) => put(`title ${index} ${writer}`)))
}

if (import.meta.main) answer(await measurePublishing(requestOf<EmbeddedPublishRequest>()))
