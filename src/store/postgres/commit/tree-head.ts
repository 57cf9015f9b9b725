import type { AppliedBatch } from '../batch.ts'
import type { Statements } from '../connection/lane.ts'
import { decodeText } from './text-parts.ts'

/** Columns of a batch, of the table `log` under the name `l`. */
export const BATCH_COLUMNS =
  'l.batch::float8 AS batch, l.stamp, l.last_seq::float8 AS seq, l.at::float8 AS at, ' +
  'l.push_time::float8 AS "pushTime", l.next_id::float8 AS "nextId"'

const LAST = `SELECT ${BATCH_COLUMNS} FROM log l WHERE l.tree = $1::int ORDER BY l.batch DESC LIMIT 1`
const SETTINGS = 'SELECT name, text FROM setting WHERE tree = $1::int'

/** The last batch of a tree. */
export async function lastBatch(statements: Statements, tree: number): Promise<AppliedBatch> {
  const [row] = await statements.query<AppliedBatch>(LAST, [tree])
  if (row === undefined) throw new Error(`the tree ${tree} has no batch`)
  return row
}

/** The texts beside a tree by name. */
export async function readSettings(statements: Statements, tree: number): Promise<ReadonlyMap<string, string>> {
  const rows = await statements.query<{ readonly name: string; readonly text: string }>(SETTINGS, [tree])
  return new Map(rows.map(({ name, text }) => [decodeText(name), decodeText(text)]))
}

/**
 * Finds the tree of an application, or makes it: its row, and the batch 0 that the first batch follows. Several processes
 * may do so at once.
 */
export async function openTree(statements: Statements, application: string): Promise<{ tree: number; epoch: string }> {
  const rows = await statements.query<{ tree: number; epoch: string }>(
    'INSERT INTO application (id, epoch) VALUES ($1::text, $2::text) ON CONFLICT (id) DO UPDATE SET id = excluded.id ' +
      'RETURNING tree, epoch',
    [application, crypto.randomUUID()],
  )
  const [row] = rows
  if (row === undefined) throw new Error('the application has no row')
  await statements.query(
    'INSERT INTO log (tree, batch, first_seq, last_seq, at, push_time, next_id, stamp, format, flags, heads) ' +
      "SELECT $1::int, 0, 1, 0, 0, 0, 1, $2::text, 1, 0, '[]' " +
      'WHERE NOT EXISTS (SELECT FROM log WHERE tree = $1::int) ON CONFLICT DO NOTHING',
    [row.tree, crypto.randomUUID()],
  )
  return row
}
