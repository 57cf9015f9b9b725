import { LogFlag } from '../batch.ts'
import { BatchConflict } from '../commit/batch-conflict.ts'
import { insertLogRow } from '../commit/commit-statement.ts'
import { Patience } from '../commit/committer.ts'
import { lastBatch } from '../commit/tree-head.ts'
import type { Statements } from '../connection/lane.ts'
import type { Lanes } from '../connection/lanes.ts'
import type { StorageClock } from '../database-clock.ts'

/** What all trees of a process share. */
interface Installation {
  readonly lanes: Lanes
  readonly clock: Pick<StorageClock, 'now'>
  readonly waitMs: number
}

/** A batch of a tree. */
export interface NumberedBatch {
  readonly tree: number
  readonly batch: number
}

/**
 * Changes the row of an application, in a batch of its tree: every process that has the tree open learns of it in order
 * with all writes. The tree need not be open here.
 * @param work changes the row, which is locked; it may run more than once
 * @returns the batch; `undefined`, without a change, when there is no such application
 * @throws `unavailable` when the database stays away, and what `work` throws
 */
export async function changeApplication(
  { lanes, clock, waitMs }: Installation,
  id: string,
  work: (statements: Statements, tree: number) => Promise<void>,
): Promise<NumberedBatch | undefined> {
  const patience = new Patience(waitMs)
  const attempt = () => lanes.transaction((statements) => change(statements, clock, id, work))
  for (;;) {
    try {
      return await patience.run(attempt)
    } catch (error) {
      // Another batch came first. Nothing was changed.
      if (!(error instanceof BatchConflict)) throw error
    }
  }
}

async function change(
  statements: Statements,
  clock: Installation['clock'],
  id: string,
  work: (statements: Statements, tree: number) => Promise<void>,
): Promise<NumberedBatch | undefined> {
  const [row] = await statements.query<{ tree: number; isMoved: boolean }>(
    'SELECT tree, moved_to IS NOT NULL AS "isMoved" FROM application ' +
      'WHERE id = $1::text AND removed_at IS NULL AND NOT is_arriving FOR UPDATE',
    [id],
  )
  if (row === undefined) return undefined
  const { tree, isMoved } = row
  await work(statements, tree)
  const before = await lastBatch(statements, tree)
  const at = Math.max(clock.now, before.at)
  const next = { ...before, batch: before.batch + 1, stamp: crypto.randomUUID(), at }
  const flags = LogFlag.application | (isMoved ? LogFlag.moved : 0)
  await insertLogRow(statements, tree, before, {
    next,
    firstSeq: before.seq + 1,
    flags,
    heads: '[]',
    data: null,
    settings: null,
  })
  return { tree, batch: next.batch }
}
