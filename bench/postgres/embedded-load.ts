/** The same reads and writes without HTTP on both engines, in turns, in a process of its own. */
import type { Database } from '../../src/database/database.ts'
import { openServerTree, openTree } from '../../src/open-tree.ts'
import { answer, requestOf } from '../harness/child.ts'
import { perSecond, type SliceOptions, timeInTurns } from '../harness/slices.ts'
import { databaseFile, leafPaths } from '../stock/blogs.ts'

export interface EmbeddedRequest extends SliceOptions {
  readonly dataDir: string
  /** Of the database. */
  readonly url: string
  readonly leaves: number
}

/** Each a second. */
export interface EngineFigures {
  readonly onePut: number
  readonly manyPuts: number
  readonly coldGets: number
}

export interface EmbeddedFigures {
  readonly sqlite: EngineFigures
  readonly postgres: EngineFigures
}

/** Leaves read and written, all over the tree. */
const PLACES = 20_000
/** Requests under way at once where there are many clients. */
const CLIENTS = 64

async function measure({ dataDir, url, leaves, ...slices }: EmbeddedRequest): Promise<EmbeddedFigures> {
  const storage = { cacheLength: 0 }
  await using file = openTree({ file: databaseFile(dataDir), storage })
  const server = await openServerTree({ url, insecure: true, storage })
  const paths = leafPaths(leaves, PLACES)
  const pathOf = (number: number) => paths[number % paths.length] ?? []
  const trees = [file, server.database]
  const many = (work: (number: number) => unknown) => (index: number) =>
    Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(index * CLIENTS + client)))
  const put = (tree: Database) => (number: number) => tree.put(pathOf(number), `title ${number}`)
  const get = (tree: Database) => (number: number) => tree.get(pathOf(number))
  const ones = await timeInTurns(trees.map(put), slices)
  const puts = await timeInTurns(
    trees.map((tree) => many(put(tree))),
    slices,
  )
  const gets = await timeInTurns(
    trees.map((tree) => many(get(tree))),
    slices,
  )
  await server.database.close()
  await server.disconnect()
  const [sqlite, postgres] = trees.map((_, at): EngineFigures => {
    const [one, some, read] = [ones[at], puts[at], gets[at]]
    if (!(one && some && read)) throw new Error('A measure is missing')
    return { onePut: perSecond(one), manyPuts: perSecond(some) * CLIENTS, coldGets: perSecond(read) * CLIENTS }
  })
  if (!(sqlite && postgres)) throw new Error('An engine is missing')
  return { sqlite, postgres }
}

if (import.meta.main) answer(await measure(requestOf<EmbeddedRequest>()))
