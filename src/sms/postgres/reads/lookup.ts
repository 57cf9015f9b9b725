import {
  type BatchList,
  type FoundPage,
  type LookupCursor,
  type MessageSearch,
  MOST_COUNTED,
  MOST_SEARCHED,
} from '../../model/lookup.ts'
import { avoidScans } from '../plans.ts'
import { decodeText, encodeText } from '../stored-text.ts'
import type { Tables } from '../tables.ts'
import { type ExportRow, MESSAGE_COLUMNS, recordOf } from './exports.ts'

const BEGINNING: LookupCursor = [Number.MAX_SAFE_INTEGER, -1]

interface BatchRow {
  readonly id: number
  readonly rrid: string
  readonly submittedAt: number
  readonly states: [number, number, number, number]
  readonly isCut: boolean
}

// Every lookup is LATERAL with a LIMIT: one look into an index, also while the planner knows nothing of the tables.
const BEFORE =
  '(SELECT p.id, p.rrid, p.submitted_at FROM sms_batch p WHERE p.tree = $1::int AND p.id < $2::bigint ' +
  'ORDER BY p.id DESC LIMIT $3::int) b'
const MESSAGES = 'sms_message m WHERE m.tree = $1::int AND m.batch_id = b.id ORDER BY m.position'
const count = (state: number) => `count(*) FILTER (WHERE c.status = ${state})::int`
const BATCHES =
  'SELECT b.id::float8 AS id, b.rrid, b.submitted_at::float8 AS "submittedAt", s.states, ' +
  `EXISTS (SELECT FROM ${MESSAGES} OFFSET ${MOST_COUNTED} LIMIT 1) AS "isCut" FROM ` +
  `${BEFORE} CROSS JOIN LATERAL (SELECT ARRAY[${[0, 1, 2, 3].map(count).join(', ')}] AS states FROM ` +
  `(SELECT m.status FROM ${MESSAGES} LIMIT ${MOST_COUNTED}) c) s ORDER BY b.id DESC`

const NAMED = '(SELECT p.* FROM sms_batch p WHERE p.tree = $1::int AND p.rrid = $2::text LIMIT 1) b'
const OF_BATCH =
  `SELECT ${MESSAGE_COLUMNS} FROM ${NAMED} CROSS JOIN LATERAL (SELECT p.* FROM sms_message p WHERE p.tree = $1::int ` +
  'AND p.batch_id = b.id AND p.position > $3::int ORDER BY p.position LIMIT $4::int) m ORDER BY m.position'
const TO_NUMBER =
  '(SELECT p.* FROM sms_message p WHERE p.tree = $1::int AND p.batch_id = b.id AND p.mobile = $4::text LIMIT 1) m'
const OF_BOTH =
  `SELECT ${MESSAGE_COLUMNS} FROM (SELECT p.* FROM sms_batch p WHERE p.tree = $1::int AND p.rrid = $2::text ` +
  'LIMIT $3::int) b ' +
  `CROSS JOIN LATERAL ${TO_NUMBER}`
const IN_ALL = `SELECT ${MESSAGE_COLUMNS} FROM ${BEFORE} CROSS JOIN LATERAL ${TO_NUMBER} ORDER BY b.id DESC LIMIT $5::int`
/** The last of as many batches, when there are more. */
const LAST_SEARCHED =
  'SELECT p.id::float8 AS id FROM sms_batch p WHERE p.tree = $1::int AND p.id < $2::bigint ' +
  'ORDER BY p.id DESC OFFSET $3::int LIMIT 2'

/** Batches, the newest first. */
export async function listBatches({ query, tree }: Tables, after = BEGINNING, limit: number): Promise<BatchList> {
  const rows = await query<BatchRow>(BATCHES, [tree, after[0], limit + 1])
  const batches = rows.slice(0, limit).map(({ id: _, rrid, ...facts }) => ({ rrid: decodeText(rrid), ...facts }))
  const last = rows[limit - 1]
  return rows.length > limit && last !== undefined ? { batches, next: [last.id, 0] } : { batches }
}

/** Messages of a batch by position, or to a number, those of the newest batch first. */
export async function searchMessages(
  tables: Tables,
  { rrid, mobile }: MessageSearch,
  after: LookupCursor | undefined,
  limit: number,
): Promise<FoundPage> {
  const { query, tree } = tables
  if (rrid === undefined) return await toNumber(tables, encodeText(mobile), after ?? BEGINNING, limit)
  if (mobile !== undefined) {
    const both = await query<ExportRow>(OF_BOTH, [tree, encodeText(rrid), 1, encodeText(mobile)])
    return { messages: both.map(recordOf) }
  }
  const [, position] = after ?? BEGINNING
  const rows = await query<ExportRow>(OF_BATCH, [tree, encodeText(rrid), position, limit + 1])
  const last = rows[limit - 1]
  const messages = rows.slice(0, limit).map(recordOf)
  return rows.length > limit && last !== undefined ? { messages, next: [last.batchId, last.position] } : { messages }
}

/** Looks into the index of each batch: the numbers of all batches have none. */
async function toNumber(tables: Tables, mobile: string, [before]: LookupCursor, limit: number): Promise<FoundPage> {
  return await tables.snapshot(async (statements) => {
    const { query } = statements
    await avoidScans(statements)
    const rows = await query<ExportRow>(IN_ALL, [tables.tree, before, MOST_SEARCHED, mobile, limit])
    const last = rows[limit - 1]
    const messages = rows.slice(0, limit).map(recordOf)
    if (rows.length >= limit && last !== undefined) return { messages, next: [last.batchId, 0] }
    const [searched, more] = await query<{ id: number }>(LAST_SEARCHED, [tables.tree, before, MOST_SEARCHED - 1])
    return searched === undefined || more === undefined ? { messages } : { messages, next: [searched.id, 0] }
  })
}
