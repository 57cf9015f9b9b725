/** A tree of blogs with a list of places beside it. */
import type { Database } from '../../src/database/database.ts'
import { openTree } from '../../src/open-tree.ts'
import { databaseFile, loadTree } from './blogs.ts'
import { loadPlaces } from './places.ts'

/** Makes the data directory of so many leaves and so many places. @param size a multiple of 1000 */
export async function buildMixed(dataDir: string, size: number): Promise<void> {
  await using database = openTree({ file: databaseFile(dataDir) })
  await loadMixed(database, size)
}

/** Makes a tree of so many leaves and a list of so many places. @param size a multiple of 1000 */
export async function loadMixed(database: Database, size: number): Promise<void> {
  await loadTree(database, size)
  await loadPlaces(database, size)
}
