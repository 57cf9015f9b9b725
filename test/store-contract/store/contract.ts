import { describe } from 'bun:test'
import type { Awaitable } from '../../../src/scheduling/awaitable.ts'
import type { TreeStore } from '../../../src/store/store.ts'
import { commitContract } from './commits.ts'
import { dataContract } from './data.ts'
import { keyContract } from './keys.ts'
import { logContract } from './log.ts'
import { longContract } from './long.ts'
import { noteContract } from './notes.ts'
import { queryContract } from './queries.ts'
import { settingsContract } from './settings.ts'

/** An engine under test. */
export interface Engine {
  readonly name: string
  /** Opens or creates the tree at a path that is the test's own. The same path is the same tree. */
  open(file: string, retention?: Retention): Awaitable<TreeStore>
}

/** How long a store keeps what is not the tree. */
interface Retention {
  readonly maxChanges?: number
  readonly maxAgeMs?: number
  readonly maxNotes?: number
  readonly noteAgeMs?: number
}

/** What every engine must do, whatever it keeps its rows in. */
export function storeContract(engine: Engine): void {
  describe(`store contract: ${engine.name}`, () => {
    dataContract(engine)
    keyContract(engine)
    commitContract(engine)
    logContract(engine)
    longContract(engine)
    queryContract(engine)
    settingsContract(engine)
    noteContract(engine)
  })
}
