import { loopTurn } from '../../scheduling/loop-turn.ts'
import type { MessageState, StoredMessage } from '../model/message-state.ts'
import type { MessageName, State } from '../model/report.ts'
import { decodeText, encodeKey, encodeText } from './stored-text.ts'
import type { Statements } from './tables.ts'

/** Most messages of one gateway id that are compared. */
const SAME_ID = 16

/** A message of the transaction that is open: how it will be stored. */
export interface WorkingMessage extends StoredMessage {
  status: State
  code: string
  messageId: string | null
}

/** A message that is new or has another state. */
export interface ChangedMessage {
  readonly message: WorkingMessage
  readonly state: MessageState
}

interface MessageRow {
  /** Number of what was asked for. */
  readonly n: number
  readonly batchId: number
  readonly position: number
  readonly rrid: string
  readonly mobile: string
  readonly status: State
  readonly code: string
  readonly messageId: string | null
}

const COLUMNS =
  'm.batch_id::float8 AS "batchId", m.position, m.mobile, m.status::int AS status, m.code, m.message_id AS "messageId"'
const NAMED = 'unnest($2::int[], $3::text[]) AS s(n, id)'
const OF_ID =
  'SELECT m.* FROM sms_message m WHERE m.tree = $1::int AND m.message_id = s.id ' +
  `ORDER BY m.message_id DESC, m.batch_id DESC LIMIT ${SAME_ID}`

// Every lookup is LATERAL with a LIMIT: one look into an index, also while the planner knows nothing of the tables.
const batchOf = (condition: string) => `(SELECT b.* FROM sms_batch b WHERE b.tree = $1::int AND ${condition} LIMIT 1) b`

// What deletes messages has locked their batch: from here on it waits, and what was deleted before is not found below.
const LOCKED = 'LIMIT 1 FOR KEY SHARE) b'
const LOCK_BATCHES =
  'SELECT FROM unnest($2::text[]) AS s(rrid) CROSS JOIN LATERAL ' +
  `(SELECT b.id FROM sms_batch b WHERE b.tree = $1::int AND b.rrid = s.rrid ${LOCKED}`
const LOCK_BY_ID =
  `SELECT FROM ${NAMED} CROSS JOIN LATERAL (${OF_ID}) m CROSS JOIN LATERAL ` +
  `(SELECT b.id FROM sms_batch b WHERE b.tree = $1::int AND b.id = m.batch_id ${LOCKED}`

const BY_MOBILE =
  `SELECT s.n, b.rrid, ${COLUMNS} FROM unnest($2::int[], $3::text[], $4::text[]) AS s(n, rrid, mobile) ` +
  `CROSS JOIN LATERAL ${batchOf('b.rrid = s.rrid')} CROSS JOIN LATERAL (SELECT m.* FROM sms_message m ` +
  'WHERE m.tree = $1::int AND m.batch_id = b.id AND m.mobile = s.mobile LIMIT 1) m'

// Gateways reuse ids: the message submitted last is the one they mean. The last row may be an older one that was imported later.
const BY_ID =
  `SELECT s.n, newest.* FROM ${NAMED} CROSS JOIN LATERAL (SELECT b.rrid, ${COLUMNS} FROM (${OF_ID}) m ` +
  `CROSS JOIN LATERAL ${batchOf('b.id = m.batch_id')} ` +
  'ORDER BY b.submitted_at DESC, m.batch_id DESC, m.position DESC LIMIT 1) newest'

// A row that is there is found by its key alone, whatever the planner knows.
const STORE =
  'INSERT INTO sms_message (tree, batch_id, position, mobile, message_id, status, code, received_at, produced_at, ' +
  'final_seq, returned_at) SELECT $1::int, s.* FROM unnest($2::bigint[], $3::int[], $4::text[], $5::text[], ' +
  '$6::smallint[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[]) AS s ' +
  'ON CONFLICT (tree, batch_id, position) DO UPDATE SET status = excluded.status, code = excluded.code, ' +
  'received_at = excluded.received_at, produced_at = excluded.produced_at, final_seq = excluded.final_seq, ' +
  'returned_at = excluded.returned_at, message_id = excluded.message_id'

const NAME =
  'INSERT INTO sms_message (tree, batch_id, position, mobile, message_id, status, code) ' +
  "SELECT $1::int, s.*, 0, '' FROM unnest($2::bigint[], $3::int[], $4::text[], $5::text[]) AS s " +
  'ON CONFLICT (tree, batch_id, position) DO UPDATE SET message_id = excluded.message_id'

/** Keeps the messages of batches, by their stored rrid, from being deleted before the transaction ends. */
export async function lockBatches(statements: Statements, tree: number, rrids: readonly string[]): Promise<void> {
  await statements.query(LOCK_BATCHES, [tree, rrids])
}

/**
 * Finds messages, and keeps them from being deleted before the transaction ends. Names of the same message lead to the same object.
 * @returns in the order of the names
 */
export async function findMessages(
  statements: Statements,
  tree: number,
  names: readonly MessageName[],
): Promise<readonly (WorkingMessage | undefined)[]> {
  const rows = await findRows(statements, tree, names)
  const messages = new Map<string, WorkingMessage>()
  const found: (WorkingMessage | undefined)[] = names.map(() => undefined)
  for (const row of rows) {
    const place = `${row.batchId} ${row.position}`
    const message = messages.get(place) ?? messageOf(row)
    messages.set(place, message)
    found[row.n] = message
  }
  // The driver has just made an object of each row, and who called judges all of them.
  if (loopTurn.isOver) await loopTurn.pause()
  return found
}

async function findRows(
  statements: Statements,
  tree: number,
  names: readonly MessageName[],
): Promise<readonly MessageRow[]> {
  const byMobile: { n: number; rrid: string; mobile: string }[] = []
  const byId: { n: number; id: string }[] = []
  for (const [n, name] of names.entries()) {
    if ('messageId' in name) byId.push({ n, id: encodeText(name.messageId) })
    else byMobile.push({ n, rrid: encodeText(name.rrid), mobile: encodeText(name.mobile) })
  }
  const queries: Promise<readonly MessageRow[]>[] = []
  const locks: Promise<unknown>[] = []
  if (byMobile.length > 0) {
    const rrids = byMobile.map(({ rrid }) => rrid)
    locks.push(lockBatches(statements, tree, [...new Set(rrids)]))
    const values = [tree, byMobile.map(({ n }) => n), rrids, byMobile.map(({ mobile }) => mobile)]
    queries.push(statements.query(BY_MOBILE, values))
  }
  if (byId.length > 0) {
    const values = [tree, byId.map(({ n }) => n), byId.map(({ id }) => id)]
    locks.push(statements.query(LOCK_BY_ID, values))
    queries.push(statements.query(BY_ID, values))
  }
  const [found] = await Promise.all([Promise.all(queries), ...locks])
  return found.flat()
}

function messageOf({ batchId, position, rrid, mobile, status, code, messageId }: MessageRow): WorkingMessage {
  return {
    batchId,
    position,
    rrid: decodeText(rrid),
    mobile: decodeText(mobile),
    status,
    code: decodeText(code),
    messageId: messageId === null ? null : decodeText(messageId),
  }
}

/** Adds messages, and gives those that are stored another state. @throws `sms-bad-arguments` when a text is too long */
export async function storeMessages(
  statements: Statements,
  tree: number,
  changed: readonly ChangedMessage[],
): Promise<void> {
  if (changed.length === 0) return
  if (loopTurn.isOver) await loopTurn.pause()
  await statements.query(STORE, [
    tree,
    ...keysOf(changed.map(({ message }) => message)),
    changed.map(({ state }) => state.status),
    changed.map(({ state }) => encodeText(state.code)),
    changed.map(({ state }) => state.receivedAt),
    changed.map(({ state }) => state.producedAt),
    changed.map(({ state }) => state.finalSeq),
    changed.map(({ state }) => state.returnedAt),
  ])
}

/** Stores the gateway ids of stored messages. @throws `sms-bad-arguments` when one is too long */
export async function nameMessages(
  statements: Statements,
  tree: number,
  named: readonly WorkingMessage[],
): Promise<void> {
  if (named.length > 0) await statements.query(NAME, [tree, ...keysOf(named)])
}

function keysOf(messages: readonly WorkingMessage[]): readonly (readonly (string | number | null)[])[] {
  return [
    messages.map(({ batchId }) => batchId),
    messages.map(({ position }) => position),
    messages.map(({ mobile }) => encodeKey('mobile', mobile)),
    messages.map(({ messageId }) => (messageId === null ? null : encodeKey('messageId', messageId))),
  ]
}
