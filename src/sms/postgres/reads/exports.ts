import type { ExportCursor, ExportPage, MessageRecord } from '../../model/message.ts'
import type { State } from '../../model/report.ts'
import { decodeText } from '../stored-text.ts'
import type { Tables } from '../tables.ts'

/** Messages read with one statement. */
const PAGE = 1000
const BEGINNING: ExportCursor = [0, -1]

/** A row of `MESSAGE_COLUMNS`. */
export interface ExportRow {
  readonly batchId: number
  readonly position: number
  readonly rrid: string
  readonly submittedAt: number
  readonly mobile: string
  readonly status: State
  readonly code: string
  readonly receivedAt: number | null
  readonly messageId: string | null
  readonly producedAt: number | null
  /** When another system, or this one, has returned it. */
  readonly returnedAt: number | null
}

const HANDOVER =
  'SELECT CASE WHEN h.last_seq >= m.final_seq THEN h.returned_at END FROM sms_handover h ' +
  'WHERE h.tree = $1::int AND h.first_seq <= m.final_seq ORDER BY h.first_seq DESC LIMIT 1'

/** Columns of a message `m` and its batch `b`; `$1` is the number of the tree. */
export const MESSAGE_COLUMNS =
  'm.batch_id::float8 AS "batchId", m.position, b.rrid, b.submitted_at::float8 AS "submittedAt", m.mobile, ' +
  'm.status::int AS status, m.code, m.received_at::float8 AS "receivedAt", m.message_id AS "messageId", ' +
  `m.produced_at::float8 AS "producedAt", coalesce(m.returned_at, (${HANDOVER}))::float8 AS "returnedAt"`

const MESSAGES =
  `SELECT ${MESSAGE_COLUMNS} ` +
  'FROM (SELECT p.* FROM sms_message p WHERE p.tree = $1::int AND (p.batch_id, p.position) > ($2::bigint, $3::int) ' +
  'ORDER BY p.batch_id, p.position LIMIT $4::int) m ' +
  'CROSS JOIN LATERAL (SELECT b.* FROM sms_batch b WHERE b.tree = $1::int AND b.id = m.batch_id LIMIT 1) b ' +
  'ORDER BY m.batch_id, m.position'

/** Messages by batch and position, from a cursor on. */
export async function exportRecords(
  tables: Tables,
  after: ExportCursor | undefined,
  limit: number,
): Promise<ExportPage> {
  if (limit <= PAGE) return await exportPage(tables, after ?? BEGINNING, limit)
  const records: MessageRecord[] = []
  let cursor: ExportCursor | undefined = after ?? BEGINNING
  while (cursor !== undefined && records.length < limit) {
    const page = await exportPage(tables, cursor, Math.min(PAGE, limit - records.length))
    records.push(...page.records)
    cursor = page.next
  }
  return cursor === undefined ? { records } : { records, next: cursor }
}

async function exportPage(
  { query, tree }: Tables,
  [batchId, position]: ExportCursor,
  limit: number,
): Promise<ExportPage> {
  const rows = await query<ExportRow>(MESSAGES, [tree, batchId, position, limit])
  const records = rows.map(recordOf)
  const last = rows.at(-1)
  return rows.length < limit || last === undefined ? { records } : { records, next: [last.batchId, last.position] }
}

export function recordOf(row: ExportRow): MessageRecord {
  return {
    rrid: decodeText(row.rrid),
    mobile: decodeText(row.mobile),
    status: row.status,
    deliveryStatus: decodeText(row.code),
    submittedAt: row.submittedAt,
    receivedAt: row.receivedAt ?? undefined,
    messageId: row.messageId === null ? undefined : decodeText(row.messageId),
    producedAt: row.producedAt ?? undefined,
    returnedAt: row.returnedAt ?? undefined,
  }
}
