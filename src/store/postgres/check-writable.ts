import { DholeError } from '../../error.ts'
import type { Lanes } from './connection/lanes.ts'

/** Resolves when a tree can be read and written. @throws `unavailable` */
export async function checkWritable(lanes: Lanes, tree: number): Promise<void> {
  try {
    // A lock of a row is written like a change.
    await lanes.transaction((statements) =>
      statements.query('SELECT FROM application WHERE tree = $1::int FOR UPDATE', [tree]),
    )
  } catch (error) {
    throw new DholeError('unavailable', undefined, { cause: error })
  }
}
