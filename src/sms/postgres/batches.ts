import { DholeError } from '../../error.ts'
import type { RecordedBatch } from '../message-store.ts'
import { Tally } from '../model/counts.ts'
import type { Batch } from '../model/message.ts'
import { NOT_SENT } from '../model/message-state.ts'
import { newRrid } from '../model/rrid.ts'
import { addToCounts } from './counts.ts'
import { storeMessages } from './message-rows.ts'
import { encodeKey, encodeText } from './stored-text.ts'
import type { Statements, Transaction } from './tables.ts'

/** Messages written or read with one statement. */
const STEP = 1000

const ADD =
  'INSERT INTO sms_batch (tree, id, rrid, submitted_at) VALUES ($1::int, $2::bigint, $3::text, $4::bigint) ' +
  'ON CONFLICT (tree, rrid) DO NOTHING RETURNING 1 AS added'
const FIND = 'SELECT b.id::float8 AS id FROM sms_batch b WHERE b.tree = $1::int AND b.rrid = $2::text FOR KEY SHARE'
const MOBILES =
  'SELECT m.mobile FROM sms_message m WHERE m.tree = $1::int AND m.batch_id = $2::bigint AND m.position >= $3::int ' +
  `ORDER BY m.position LIMIT ${STEP}`

/**
 * Adds a batch; the same batch again changes nothing.
 * @throws `sms-bad-arguments` when there is another batch of that rrid
 */
export async function recordBatch(
  { statements, now, takeIds }: Transaction,
  tree: number,
  { rrid, mobiles, messageIds }: Batch,
): Promise<RecordedBatch> {
  const batchId = takeIds(1)
  const name = await addBatch(statements, tree, batchId, rrid, mobiles, now)
  if (name === undefined) return { rrid: rrid ?? '', isNew: false }
  for (let from = 0; from < mobiles.length; from += STEP) {
    const added = mobiles.slice(from, from + STEP).map((mobile, at) => {
      const position = from + at
      const messageId = messageIds?.[position] ?? null
      const { status, code } = NOT_SENT
      return { message: { batchId, position, rrid: name, mobile, messageId, status, code }, state: NOT_SENT }
    })
    await storeMessages(statements, tree, added)
  }
  const tally = new Tally()
  tally.add('notSent', mobiles.length)
  await addToCounts(statements, tree, tally)
  return { rrid: name, isNew: true }
}

/**
 * @returns the rrid of the new batch; `undefined` when the same batch is stored
 * @throws `sms-bad-arguments` when there is another batch of that rrid
 */
async function addBatch(
  statements: Statements,
  tree: number,
  batchId: number,
  rrid: string | undefined,
  mobiles: readonly string[],
  now: number,
): Promise<string | undefined> {
  for (;;) {
    const name = rrid ?? newRrid(now)
    const stored = encodeKey('rrid', name)
    if ((await statements.query(ADD, [tree, batchId, stored, now])).length > 0) return name
    if (rrid === undefined) continue
    const [known] = await statements.query<{ id: number }>(FIND, [tree, stored])
    // It may have been deleted meanwhile.
    if (known === undefined) continue
    if (await hasMobiles(statements, tree, known.id, mobiles)) return undefined
    throw new DholeError('sms-bad-arguments', 'rrid: there is a batch of this rrid with other mobiles')
  }
}

async function hasMobiles(
  statements: Statements,
  tree: number,
  batchId: number,
  mobiles: readonly string[],
): Promise<boolean> {
  for (let from = 0; ; from += STEP) {
    const rows = await statements.query<{ mobile: string }>(MOBILES, [tree, batchId, from])
    const expected = mobiles.slice(from, from + STEP)
    if (rows.length !== expected.length) return false
    if (!rows.every(({ mobile }, at) => mobile === encodeText(expected[at] ?? ''))) return false
    if (rows.length < STEP) return true
  }
}
