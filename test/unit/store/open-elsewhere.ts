/** Run as a process of its own: tries to open the tree at the path given and tells how that went. */

import { silentObserver } from '../../../src/observer.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'

try {
  const store = new SqliteStore(process.argv[2] ?? '', {}, silentObserver)
  await store.close()
  process.stdout.write('opened')
} catch (error) {
  process.stdout.write(error instanceof Error ? error.message : String(error))
}
