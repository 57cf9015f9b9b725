import { DholeError } from '../../../error.ts'
import { movedText } from '../../rows/copy/moved-text.ts'
import type { AppliedBatch } from '../batch.ts'
import type { Statements } from '../connection/lane.ts'
import type { Lanes } from '../connection/lanes.ts'
import { decodeText } from './text-parts.ts'

/** Columns of a batch, of the table `log` under the name `l`. */
export const BATCH_COLUMNS =
  'l.batch::float8 AS batch, l.stamp, l.last_seq::float8 AS seq, l.at::float8 AS at, ' +
  'l.push_time::float8 AS "pushTime", l.next_id::float8 AS "nextId"'

const LAST = `SELECT ${BATCH_COLUMNS} FROM log l WHERE l.tree = $1::int ORDER BY l.batch DESC LIMIT 1`
const NEWEST_RECORD = 'SELECT n.at::float8 AS at FROM note n WHERE n.tree = $1::int ORDER BY n.at DESC LIMIT 1'
const SETTINGS = 'SELECT name, text FROM setting WHERE tree = $1::int'
const MOVED_TO = 'SELECT moved_to AS "to" FROM application WHERE tree = $1::int'

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

/** Where a tree was moved; `undefined` while it is here. */
export async function whereMoved(statements: Statements, tree: number): Promise<string | undefined> {
  const [row] = await statements.query<{ to: string | null }>(MOVED_TO, [tree])
  return row?.to ?? undefined
}

/** A tree as it is when a process opens it. */
interface OpenedTree {
  readonly tree: number
  readonly epoch: string
  readonly batch: AppliedBatch
  /** The texts beside the tree by name, as of the batch. */
  readonly texts: ReadonlyMap<string, string>
  /** Time of the newest idempotency record, in milliseconds since 1970; 0 without one. */
  readonly lastRecord: number
}

/**
 * Finds the tree of an application. Several processes may do so at once.
 * @param makes whether an application that is not there is made
 * @throws `app-unknown`; Error when it was moved elsewhere, or a copy of it is not complete; what the database throws
 */
export async function openTree(lanes: Lanes, application: string, makes: boolean): Promise<OpenedTree> {
  const { tree, epoch, isArriving } = await treeOf(lanes, application, makes)
  if (isArriving) {
    throw new Error(`the copy of application "${application}" is not complete: run the same \`dhole copy\` again`)
  }
  return await lanes.snapshot(async (statements) => {
    const movedTo = await whereMoved(statements, tree)
    if (movedTo !== undefined) throw new Error(`application "${application}": ${movedText(movedTo)}`)
    const [batch, texts, newest] = await Promise.all([
      lastBatch(statements, tree),
      readSettings(statements, tree),
      statements.query<{ at: number }>(NEWEST_RECORD, [tree]),
    ])
    return { tree, epoch, batch, texts, lastRecord: newest[0]?.at ?? 0 }
  })
}

async function treeOf(
  statements: Statements,
  application: string,
  makes: boolean,
): Promise<{ tree: number; epoch: string; isArriving: boolean }> {
  const find = () =>
    statements.query<{ tree: number; epoch: string; isArriving: boolean }>(
      'SELECT tree, epoch, is_arriving AS "isArriving" FROM application WHERE id = $1::text AND removed_at IS NULL',
      [application],
    )
  let [row] = await find()
  if (row === undefined && makes) {
    await makeTree(statements, application)
    ;[row] = await find()
  }
  if (row === undefined) throw new DholeError('app-unknown')
  if (!row.isArriving) await insertFirstBatch(statements, row.tree)
  return row
}

/** Makes the row of an application, unless it is there. */
async function makeTree(statements: Statements, application: string): Promise<void> {
  await statements.query(
    'INSERT INTO application (id, epoch) VALUES ($1::text, $2::text) ' +
      'ON CONFLICT (id) DO UPDATE SET removed_at = NULL WHERE application.removed_at IS NOT NULL',
    [application, crypto.randomUUID()],
  )
}

/** Inserts the batch 0, which the first batch of a tree follows, unless it is there. */
export async function insertFirstBatch(statements: Statements, tree: number): Promise<void> {
  await statements.query(
    'INSERT INTO log (tree, batch, first_seq, last_seq, at, push_time, next_id, stamp, format, flags, heads) ' +
      "SELECT $1::int, 0, 1, 0, 0, 0, 1, $2::text, 1, 0, '[]' " +
      'WHERE NOT EXISTS (SELECT FROM log WHERE tree = $1::int) ON CONFLICT DO NOTHING',
    [tree, crypto.randomUUID()],
  )
}
