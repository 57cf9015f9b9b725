/** Writing without HTTP, in a process of its own. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../../src/database/database.ts'
import { openTree } from '../../src/open-tree.ts'
import type { Path } from '../../src/tree/path.ts'
import { answer, requestOf } from '../harness/child.ts'
import { SyncedFile } from '../harness/limits.ts'
import { LoopProbe } from '../harness/loop-probe.ts'
import { cpuMicroseconds, microseconds, perSecond, type SliceOptions, timeInTurns } from '../harness/slices.ts'
import {
  COPY_PATH,
  databaseFile,
  draftPaths,
  largeList,
  leafPaths,
  objectOf1Kb,
  VICTIM_PATH,
  victim,
} from '../stock/blogs.ts'

export interface EmbeddedWriteRequest extends SliceOptions {
  readonly dataDir: string
  /** An empty directory on the same disk. */
  readonly scratchDir: string
  readonly leaves: number
  /** Subtrees of 100k leaves to delete, and lists of 1 MB to write under the probe. */
  readonly repeats: number
}

export interface EmbeddedWriteFigures {
  readonly leafPerSecond: number
  readonly objectPerSecond: number
  readonly syncPerSecond: number
  readonly leafCpuUs: number
  readonly manyLeavesPerSecond: number
  readonly manyLeavesCpuUs: number
  readonly manyObjectsPerSecond: number
  readonly largeMs: number
  readonly largeSyncMs: number
  /** Longest turn of the loop. */
  readonly largeTurnMs: number
  readonly deleteMs: number
  readonly deleteTurnMs: number
  /** The same while nothing is done: what the machine adds. */
  readonly idleTurnMs: number
}

/** Leaves written, all over the tree. */
const PLACES = 20_000
/** Writes under way at once where there are many clients. */
const CLIENTS = 64
const PAGE_BYTES = 4096
const LARGE_BYTES = 1_000_000
/** The probe goes on for so long behind a write: the sweep of what it cut off runs then. */
const AFTERMATH_MS = 300
const SETTLE_MS = 500

type Put = (path: Path, index: number) => Promise<unknown>

async function measureWriting(request: EmbeddedWriteRequest): Promise<EmbeddedWriteFigures> {
  await using database = openTree({ file: databaseFile(request.dataDir) })
  using synced = new SyncedFile(join(request.scratchDir, 'synced'))
  const leaves = leafPaths(request.leaves, PLACES)
  const drafts = draftPaths(PLACES)
  const objects = [objectOf1Kb(0), objectOf1Kb(1)]
  const putLeaf: Put = (path, index) => database.put(path, `title ${index}`)
  const putObject: Put = (path, index) => database.put(path, objects[index % 2])
  const page = new Uint8Array(PAGE_BYTES)
  const [leaf, object, sync] = await timeInTurns(
    [one(leaves, putLeaf), one(drafts, putObject), () => synced.append(page)],
    request,
  )
  const [manyLeaves, manyObjects] = await timeInTurns([many(leaves, putLeaf), many(drafts, putObject)], request)
  const megabyte = new Uint8Array(LARGE_BYTES)
  const lists = [largeList(0), largeList(1)]
  const putLarge = (index: number) => database.put(COPY_PATH, lists[index % 2])
  const [large, largeSync] = await timeInTurns([putLarge, () => synced.append(megabyte)], request)
  if (!(leaf && object && sync && manyLeaves && manyObjects && large && largeSync))
    throw new Error('A measure is missing')
  return {
    leafPerSecond: perSecond(leaf),
    objectPerSecond: perSecond(object),
    syncPerSecond: perSecond(sync),
    leafCpuUs: cpuMicroseconds(leaf),
    manyLeavesPerSecond: perSecond(manyLeaves) * CLIENTS,
    manyLeavesCpuUs: cpuMicroseconds(manyLeaves) / CLIENTS,
    manyObjectsPerSecond: perSecond(manyObjects) * CLIENTS,
    largeMs: microseconds(large) / 1000,
    largeSyncMs: microseconds(largeSync) / 1000,
    largeTurnMs: await probeLarge(putLarge, request.repeats),
    ...(await probeDelete(database, request.repeats)),
    idleTurnMs: (await probed(async () => {})).turnMs,
  }
}

function one(paths: readonly Path[], put: Put): (index: number) => Promise<unknown> {
  return (index) => put(paths[index % paths.length] ?? [], index)
}

function many(paths: readonly Path[], put: Put): (index: number) => Promise<unknown> {
  return (index) =>
    Promise.all(
      Array.from({ length: CLIENTS }, (_, client) => {
        const number = index * CLIENTS + client
        return put(paths[number % paths.length] ?? [], number)
      }),
    )
}

async function probeLarge(putLarge: (index: number) => Promise<unknown>, repeats: number): Promise<number> {
  let turnMs = 0
  for (let index = 0; index < repeats; index++) {
    await wait(SETTLE_MS)
    turnMs = Math.max(turnMs, (await probed(() => putLarge(index))).turnMs)
  }
  return turnMs
}

/** The time is that of the acknowledgement, the mean of all repeats. */
async function probeDelete(database: Database, repeats: number): Promise<{ deleteMs: number; deleteTurnMs: number }> {
  let deleteMs = 0
  let deleteTurnMs = 0
  // One that is not counted, so that no code runs for the first time.
  await database.put(VICTIM_PATH, largeList(0))
  await database.delete(VICTIM_PATH)
  for (let count = 0; count < repeats; count++) {
    await database.put(VICTIM_PATH, victim())
    await wait(SETTLE_MS)
    const { ms, turnMs } = await probed(() => database.delete(VICTIM_PATH))
    deleteMs += ms / repeats
    deleteTurnMs = Math.max(deleteTurnMs, turnMs)
  }
  return { deleteMs, deleteTurnMs }
}

/** Time until the work is done, and the longest turn of the loop until what it leaves behind is done as well. */
async function probed(work: () => Promise<unknown>): Promise<{ ms: number; turnMs: number }> {
  const probe = new LoopProbe()
  probe.start()
  await new Promise(setImmediate)
  const start = performance.now()
  await work()
  const ms = performance.now() - start
  await wait(AFTERMATH_MS)
  return { ms, turnMs: probe.stop() }
}

if (import.meta.main) answer(await measureWriting(requestOf<EmbeddedWriteRequest>()))
