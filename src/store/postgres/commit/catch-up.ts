import { changesOf } from '../../rows/change-row.ts'
import { changeOf } from '../../rows/logged-writes.ts'
import type { Commit } from '../../store.ts'
import type { AppliedTree } from '../applied-tree.ts'
import { type AppliedBatch, LogFlag } from '../batch.ts'
import type { Lanes } from '../connection/lanes.ts'
import { BATCH_COLUMNS, readSettings } from './tree-head.ts'

/** Rows of the log read at once. */
const PAGE_ROWS = 64

interface ForeignRow extends AppliedBatch {
  readonly flags: number
  readonly heads: string
  readonly data: string | null
}

const AFTER =
  `SELECT ${BATCH_COLUMNS}, l.flags, l.heads, l.data FROM log l WHERE l.tree = $1::int AND l.batch > $2::bigint ` +
  `ORDER BY l.batch LIMIT ${PAGE_ROWS}`

/**
 * Applies the batches that others have committed behind the applied one.
 * @param apply makes a batch the applied one
 * @throws what the database throws
 */
export async function catchUp(lanes: Lanes, tree: AppliedTree): Promise<void> {
  for (;;) {
    const rows = await lanes.query<ForeignRow>(AFTER, [tree.tree, tree.batch.batch])
    for (const { flags, heads, data, ...batch } of rows) {
      if (batch.batch !== tree.batch.batch + 1) throw new Error('the log of the tree has a gap')
      const commits: Commit[] = []
      for (const logged of changesOf({ seq: batch.seq, at: batch.at, kind: 'group', path: heads, data })) {
        const { seq, at, kind, path } = logged
        // Data that is too long for the log is written at its path, whatever it was.
        commits.push({ ...(changeOf(logged) ?? { kind, path, writes: [] }), seq, at })
      }
      const settings = (flags & LogFlag.settings) === 0 ? tree.settings : await readSettings(lanes, tree.tree)
      tree.apply({ batch, flags, settings, commits })
    }
    if (rows.length < PAGE_ROWS) return
  }
}
