import { changesOf } from '../../rows/change-row.ts'
import { changeOf } from '../../rows/logged-writes.ts'
import type { Commit, LoggedChange } from '../../store.ts'
import type { NextBatch } from '../applied-tree.ts'
import { type AppliedBatch, LogFlag } from '../batch.ts'
import { BATCH_COLUMNS, lastBatch, readSettings } from '../commit/tree-head.ts'
import type { Statements } from '../connection/lane.ts'
import type { Lanes } from '../connection/lanes.ts'

/** Rows of the log read at once. */
export const PAGE_ROWS = 8

/** A row of the log that another process may have written. */
export interface ForeignRow extends AppliedBatch {
  readonly flags: number
  readonly heads: string
  readonly data: string | null
  readonly settings: string | null
}

const AFTER =
  `SELECT ${BATCH_COLUMNS}, l.flags, l.heads, l.data, l.settings FROM log l ` +
  `WHERE l.tree = $1::int AND l.batch > $2::bigint ORDER BY l.batch LIMIT ${PAGE_ROWS}`

const APPLICATION = 'SELECT epoch, moved_to IS NOT NULL AS "isMoved" FROM application WHERE tree = $1::int'

/** The rows behind a batch, oldest first, at most `PAGE_ROWS`. */
export function rowsAfter(statements: Statements, tree: number, batch: number): Promise<readonly ForeignRow[]> {
  return statements.query<ForeignRow>(AFTER, [tree, batch])
}

/** The batch of a row. @param settings texts beside the tree as of the batch before */
export function nextBatchOf(
  { flags, heads, data, settings: changed, ...batch }: ForeignRow,
  settings: ReadonlyMap<string, string>,
): NextBatch {
  const logged = changesOf({ seq: batch.seq, at: batch.at, kind: 'group', path: heads, data })
  return { batch, flags, settings: settingsAfter(settings, changed), commits: logged.map(commitOf), isForeign: true }
}

/** The last batch of a tree, for a process that has lost sight of those before it: anything may have changed. */
export async function headOf(lanes: Lanes, tree: number): Promise<NextBatch & { readonly epoch: string }> {
  return await lanes.snapshot(async (statements) => {
    const [batch, settings, [row]] = await Promise.all([
      lastBatch(statements, tree),
      readSettings(statements, tree),
      statements.query<{ epoch: string; isMoved: boolean }>(APPLICATION, [tree]),
    ])
    if (row === undefined) throw new Error(`the tree ${tree} has no application`)
    const { seq, at } = batch
    const { settings: ofSettings, indexes, application, sessions, moved } = LogFlag
    const flags = ofSettings | indexes | application | sessions | (row.isMoved ? moved : 0)
    const commits = [unknownCommit({ seq, at, path: [] })]
    return { epoch: row.epoch, batch, flags, settings, commits, isForeign: true }
  })
}

/** The JSON text of settings as the log stores it. */
export function settingsText(settings: ReadonlyMap<string, string>): string | null {
  return settings.size === 0 ? null : JSON.stringify([...settings])
}

function settingsAfter(before: ReadonlyMap<string, string>, changed: string | null): ReadonlyMap<string, string> {
  if (changed === null) return before
  return new Map([...before, ...(JSON.parse(changed) as (readonly [string, string])[])])
}

function commitOf(logged: LoggedChange): Commit {
  const { seq, at, path } = logged
  const change = changeOf(logged)
  // Data that is too long for the log is written at its path, whatever it was.
  return change === undefined ? unknownCommit({ seq, at, path }) : { ...change, seq, at }
}

function unknownCommit({ seq, at, path }: Pick<Commit, 'seq' | 'at' | 'path'>): Commit {
  return { seq, at, path, kind: 'put', writes: [{ kind: 'value', path, value: undefined }], isUnknown: true }
}
