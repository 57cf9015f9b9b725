/** Writing to a list under four indexes and to one under none, in turns, in a process of its own. */

import type { Database } from '../../src/database/database.ts'
import { openTree } from '../../src/open-tree.ts'
import type { Path } from '../../src/tree/path.ts'
import { answer, requestOf } from '../harness/child.ts'
import { perSecond, type SliceOptions, timeInTurns } from '../harness/slices.ts'
import { databaseFile } from '../stock/blogs.ts'
import { INDEXED_PATH, PLAIN_PATH, place, placeKey, scattered } from '../stock/places.ts'

export interface IndexedWriteRequest extends SliceOptions {
  /** Of the two lists. */
  readonly dataDir: string
  readonly children: number
}

/** What is written, and by how many at once. */
export const WRITES = ['placeOne', 'placeMany', 'leafOne', 'leafMany', 'newOne', 'newMany'] as const
export type WriteName = (typeof WRITES)[number]

/** For each second. */
export type IndexedWriteFigures = Readonly<Record<`${'plain' | 'indexed'} ${WriteName}`, number>>

/** Writes under way at once where there are many clients. */
const CLIENTS = 64
/** Children written, all over the list. */
const PLACES = 20_000

/** Later than every place of the list. */
const NOW = 1_900_000_000_000

/** The work of one index, whatever list it is done to. */
type Put = (list: Path, index: number) => Promise<unknown>

async function measureWriting({ dataDir, children, ...slices }: IndexedWriteRequest): Promise<IndexedWriteFigures> {
  await using database = openTree({ file: databaseFile(dataDir) })
  const targets = scattered(children, PLACES)
  let written = 0
  // The data of another place than any write before has put there: no indexed value stays what it was.
  const another = (target: number) => place((target + ++written) % children, children)
  const putPlace: Put = (list, index) => {
    const target = targets[index % targets.length] ?? 0
    return database.put([...list, placeKey(target)], another(target))
  }
  const putLeaf: Put = (list, index) => {
    const target = targets[index % targets.length] ?? 0
    return database.put([...list, placeKey(target), 'name'], another(target).name)
  }
  const putNew: Put = (list) => {
    const number = children + ++written
    return database.put([...list, placeKey(number)], {
      ...place(number % children, children),
      at: { added: NOW + number },
    })
  }
  await check(database)
  const works: Readonly<Record<WriteName, { put: Put; clients: number }>> = {
    placeOne: { put: putPlace, clients: 1 },
    placeMany: { put: putPlace, clients: CLIENTS },
    leafOne: { put: putLeaf, clients: 1 },
    leafMany: { put: putLeaf, clients: CLIENTS },
    newOne: { put: putNew, clients: 1 },
    newMany: { put: putNew, clients: CLIENTS },
  }
  const figures: Record<string, number> = {}
  for (const name of WRITES) {
    const { put, clients } = works[name]
    const [plain, indexed] = await timeInTurns(
      [times(clients, put, PLAIN_PATH), times(clients, put, INDEXED_PATH)],
      slices,
    )
    if (!(plain && indexed)) throw new Error('A measure is missing')
    figures[`plain ${name}`] = perSecond(plain) * clients
    figures[`indexed ${name}`] = perSecond(indexed) * clients
  }
  return figures as IndexedWriteFigures
}

function times(clients: number, put: Put, list: Path): (index: number) => Promise<unknown> {
  if (clients === 1) return (index) => put(list, index)
  return (index) => {
    return Promise.all(Array.from({ length: clients }, (_, client) => put(list, index * clients + client)))
  }
}

/** @throws unless one list is under four indexes and the other under none */
async function check(database: Database): Promise<void> {
  const indexes = await database.indexes()
  const [plain, indexed] = [PLAIN_PATH, INDEXED_PATH].map((list) => {
    return indexes.filter((index) => index.ready && index.list.join('/') === list.join('/')).length
  })
  if (plain !== 0 || indexed !== 4) throw new Error(`There are ${plain} and ${indexed} indexes, not 0 and 4`)
}

if (import.meta.main) answer(await measureWriting(requestOf<IndexedWriteRequest>()))
