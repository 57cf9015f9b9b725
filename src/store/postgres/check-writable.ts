import { DholeError } from '../../error.ts'
import type { Lanes } from './connection/lanes.ts'

/** Resolves when a tree can be read and written. @throws `unavailable` */
async function checkWritable(lanes: Lanes, tree: number): Promise<void> {
  try {
    // A lock of a row is written like a change.
    await lanes.transaction((statements) =>
      statements.query('SELECT FROM application WHERE tree = $1::int FOR UPDATE', [tree]),
    )
  } catch (error) {
    throw new DholeError('unavailable', undefined, { cause: error })
  }
}

/** As `checkWritable`; concurrent calls share one check. */
export function sharedCheck(lanes: Lanes, tree: number): () => Promise<void> {
  let checking: Promise<void> | undefined
  return () => {
    checking ??= checkWritable(lanes, tree).finally(() => {
      checking = undefined
    })
    return checking
  }
}
