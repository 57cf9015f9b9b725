/** A tree of blogs with a list of places beside it. */
import { openTree } from '../../src/open-tree.ts'
import { buildTree, databaseFile } from './blogs.ts'
import { loadPlaces } from './places.ts'

/** Makes the data directory of so many leaves and so many places. @param size a multiple of 1000 */
export async function buildMixed(dataDir: string, size: number): Promise<void> {
  await buildTree(dataDir, size)
  await using database = openTree({ file: databaseFile(dataDir) })
  await loadPlaces(database, size)
}
