/** A file of a given length: objects of 1 KB each at `/archive/<number>`. */
import { statSync } from 'node:fs'
import { openTree } from '../../src/open-tree.ts'
import { databaseFile, objectOf1Kb } from './blogs.ts'

const OBJECTS_PER_PATCH = 4000
/** Objects differ from those of the last so many. */
const DIFFERENT = 1000

export function archivePath(number: number): string[] {
  return ['archive', String(number).padStart(8, '0')]
}

/** Makes the data directory of a database that is at least so long. */
export async function buildArchive(dataDir: string, bytes: number): Promise<void> {
  const file = databaseFile(dataDir)
  const texts = Array.from({ length: DIFFERENT }, (_, number) => objectOf1Kb(number))
  const [parent = ''] = archivePath(0)
  for (let first = 0, length = 0; length < bytes; ) {
    // Opened anew, so that what is in the log goes to the file, whose length counts.
    await using database = openTree({ file })
    for (let patches = 0; patches < Math.max(1, bytes / 2 ** 27); patches++) {
      const members = Array.from({ length: OBJECTS_PER_PATCH }, (_, index) => {
        const [, key = ''] = archivePath(first + index)
        return [key, texts[(first + index) % DIFFERENT]] as const
      })
      await database.patch([parent], Object.fromEntries(members))
      first += OBJECTS_PER_PATCH
    }
    length = statSync(file).size
  }
}
