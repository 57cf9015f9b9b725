/** Reading without HTTP, in a process of its own. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../../src/database/database.ts'
import { openTree } from '../../src/open-tree.ts'
import type { Path } from '../../src/tree/path.ts'
import { answer, requestOf } from '../harness/child.ts'
import { RawTable } from '../harness/limits.ts'
import { LoopProbe } from '../harness/loop-probe.ts'
import { microseconds, type SliceOptions, timeInTurns } from '../harness/slices.ts'
import { databaseFile, LARGE_PATH, largeList, leafPaths, OBJECT_PATH, objectOf1Kb, urlOf } from '../stock/blogs.ts'

export interface EmbeddedReadRequest extends SliceOptions {
  readonly dataDir: string
  /** An empty directory on the same disk. */
  readonly scratchDir: string
  readonly leaves: number
  /** Without the cache of finished text. */
  readonly cold: boolean
}

/** Microseconds each, unless the name says otherwise. */
export interface EmbeddedReadFigures {
  readonly leaf: number
  readonly rawLeaf: number
  readonly object: number
  readonly rawObject: number
  readonly large: number
  readonly stringify: number
  /** Longest turn of the loop while the large subtree is read, in milliseconds. */
  readonly turnMs: number
  /** The same while nothing is done: what the machine adds. */
  readonly idleTurnMs: number
}

/** Leaves read cold: many, so that a large tree does not fit into the engine's own pages. */
const COLD_PLACES = 20_000
/** Leaves read hot: as many as the smallest tree has posts, so that growth is not that of the cache. */
const HOT_PLACES = 1250
/** Enough that the garbage of some reads is collected among them: about every 25th read takes twice as long for it. */
const PROBED_READS = 100
const IDLE_MS = 50

async function measureReading(request: EmbeddedReadRequest): Promise<EmbeddedReadFigures> {
  const storage = request.cold ? { cacheLength: 0 } : {}
  await using database = openTree({ file: databaseFile(request.dataDir), storage })
  const paths = leafPaths(request.leaves, request.cold ? COLD_PLACES : HOT_PLACES)
  const keys = paths.map(urlOf)
  using raw = new RawTable(join(request.scratchDir, 'raw.sqlite'), [
    ...keys.map((key, index) => [key, JSON.stringify(`title ${index}`)] as const),
    ['object', JSON.stringify(objectOf1Kb(0))],
  ])
  for (const path of paths) await read(database, path)
  const [leaf, rawLeaf] = await timeInTurns(
    [
      (index) => read(database, paths[index % paths.length] ?? []),
      (index) => raw.text(keys[index % keys.length] ?? '').length,
    ],
    request,
  )
  const [object, rawObject] = await timeInTurns(
    [() => read(database, OBJECT_PATH), () => raw.text('object').length],
    request,
  )
  const ready = largeList(0)
  const [large, stringify] = await timeInTurns(
    [() => read(database, LARGE_PATH), () => JSON.stringify(ready).length],
    request,
  )
  if (!(leaf && rawLeaf && object && rawObject && large && stringify)) throw new Error('A measure is missing')
  return {
    leaf: microseconds(leaf),
    rawLeaf: microseconds(rawLeaf),
    object: microseconds(object),
    rawObject: microseconds(rawObject),
    large: microseconds(large),
    stringify: microseconds(stringify),
    ...(await longestTurn(database)),
  }
}

/** The text as a client would get it. */
function read(database: Database, path: Path): number | Promise<number> {
  const node = database.node(path)
  return node instanceof Promise ? node.then((later) => later?.plain.length ?? 0) : (node?.plain.length ?? 0)
}

async function longestTurn(database: Database): Promise<{ turnMs: number; idleTurnMs: number }> {
  const probe = new LoopProbe()
  probe.start()
  await wait(IDLE_MS)
  const idleTurnMs = probe.take()
  for (let count = 0; count < PROBED_READS; count++) {
    await read(database, LARGE_PATH)
    await new Promise(setImmediate)
  }
  return { turnMs: probe.stop(), idleTurnMs }
}

if (import.meta.main) answer(await measureReading(requestOf<EmbeddedReadRequest>()))
