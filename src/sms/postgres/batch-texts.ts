import type { BatchFormat } from '../format/batch-format.ts'
import { MAX_TEXT_MESSAGES, MIN_TEXT_MESSAGES } from '../model/batch-text-size.ts'
import type { State } from '../model/report.ts'
import { avoidScans } from './plans.ts'
import { decodeText, encodeText } from './stored-text.ts'
import type { Statements, Tables } from './tables.ts'

/** Messages read in one step; nearly all batches are shorter. */
const PAGE = MAX_TEXT_MESSAGES
/** Batches looked at with one statement. */
const STEP = 500
/** Most messages of the texts that are made in one step, beside those of the last batch. */
const STEP_MESSAGES = 1000

interface MessageRow {
  readonly position: number
  readonly status: State
  readonly mobile: string
  readonly code: string
  readonly receivedAt: number | null
}

/** The stored text, or a message; a batch without either has one row of nulls. */
type FoundRow = { readonly id: number; readonly text: string | null } & (MessageRow | { readonly position: null })

const COLUMNS = 'm.position, m.status::int AS status, m.mobile, m.code, m.received_at::float8 AS "receivedAt"'

const FIND =
  'SELECT b.id::float8 AS id, t.text, m.* FROM sms_batch b ' +
  'LEFT JOIN LATERAL (SELECT t.* FROM sms_text t WHERE t.tree = $1::int AND t.batch_id = b.id LIMIT 1) t ' +
  'ON t.version = $3::text ' +
  `LEFT JOIN LATERAL (SELECT ${COLUMNS} FROM sms_message m WHERE t.text IS NULL AND m.tree = $1::int ` +
  `AND m.batch_id = b.id ORDER BY m.position LIMIT ${PAGE}) m ON true ` +
  'WHERE b.tree = $1::int AND b.rrid = $2::text ORDER BY m.position'

const MESSAGES =
  `SELECT ${COLUMNS} FROM sms_message m WHERE m.tree = $1::int AND m.batch_id = $2::bigint ` +
  `AND m.position > $3::int ORDER BY m.position LIMIT ${PAGE}`

// From the end: most gateways report in the order of submission.
const lastOf = (batches: string, condition: string) =>
  `(SELECT m.position FROM sms_message m WHERE m.tree = $1::int AND m.batch_id = ${batches}.id${condition} ` +
  'ORDER BY m.position DESC LIMIT 1)'
const FINAL =
  `SELECT f.id::float8 AS id, f.last FROM (SELECT s.id, ${lastOf('s', '')} AS last ` +
  'FROM unnest($2::bigint[]) AS s(id) OFFSET 0) AS f ' +
  `WHERE f.last >= ${MIN_TEXT_MESSAGES - 1} AND f.last < ${MAX_TEXT_MESSAGES} ` +
  `AND ${lastOf('f', ' AND m.status < 2')} IS NULL`

const OF_BATCHES =
  `SELECT s.id::float8 AS id, m.* FROM unnest($2::bigint[]) AS s(id) CROSS JOIN LATERAL (SELECT ${COLUMNS} ` +
  `FROM sms_message m WHERE m.tree = $1::int AND m.batch_id = s.id ORDER BY m.position LIMIT ${PAGE}) m ` +
  'ORDER BY s.id, m.position'

const STORE =
  'INSERT INTO sms_text (tree, batch_id, version, text) SELECT $1::int, s.id, $3::text, s.text ' +
  'FROM unnest($2::bigint[], $4::text[]) AS s(id, text) ' +
  'ON CONFLICT (tree, batch_id) DO UPDATE SET version = excluded.version, text = excluded.text'

const DELETE =
  'DELETE FROM sms_text WHERE ctid = ANY(ARRAY(SELECT o.ctid FROM unnest($2::bigint[]) AS s(id) CROSS JOIN LATERAL ' +
  '(SELECT t.ctid FROM sms_text t WHERE t.tree = $1::int AND t.batch_id = s.id LIMIT 1) o))'

/** The answer about a batch; `undefined` when there is no such batch. */
export async function readBatchText(
  { query, snapshot, tree }: Tables,
  rrid: string,
  format: BatchFormat,
): Promise<string | undefined> {
  const rows = await query<FoundRow>(FIND, [tree, encodeText(rrid), format.version])
  const [first] = rows
  if (first === undefined) return undefined
  if (first.text !== null) return first.text
  if (rows.length === PAGE) return await snapshot((statements) => longText(statements, tree, first.id, rrid, format))
  const records = rows.flatMap((row) => (row.position === null ? [] : [recordOf(row, rrid, format)]))
  // Retention deletes the messages of a long batch before the batch.
  return records.length === 0 ? undefined : format.batch(records)
}

/** The answer about a batch of many messages. */
async function longText(
  statements: Statements,
  tree: number,
  batchId: number,
  rrid: string,
  format: BatchFormat,
): Promise<string | undefined> {
  // A page is one text: joining all records takes several times as long as joining pages.
  const pages: string[] = []
  for (let after = -1; ; ) {
    const rows = await statements.query<MessageRow>(MESSAGES, [tree, batchId, after])
    if (rows.length > 0) pages.push(rows.map((row) => recordOf(row, rrid, format)).join(','))
    if (rows.length < PAGE) return pages.length === 0 ? undefined : format.batch(pages)
    after = rows.at(-1)?.position ?? after
  }
}

/**
 * Stores the answers about those batches whose messages are all final. Every change of such a batch has to do so, or to
 * delete its text, in the same transaction.
 * @param batches rrids by id
 */
export async function storeBatchTexts(
  statements: Statements,
  tree: number,
  batches: ReadonlyMap<number, string>,
  format: BatchFormat,
): Promise<void> {
  const ids = [...batches.keys()]
  for (let from = 0; from < ids.length; from += STEP) {
    const final = await statements.query<{ id: number; last: number }>(FINAL, [tree, ids.slice(from, from + STEP)])
    let [some, messages]: [number[], number] = [[], 0]
    for (const [at, { id, last }] of final.entries()) {
      some.push(id)
      messages += last + 1
      if (messages < STEP_MESSAGES && at < final.length - 1) continue
      await storeTexts(statements, tree, some, batches, format)
      ;[some, messages] = [[], 0]
    }
  }
}

async function storeTexts(
  statements: Statements,
  tree: number,
  ids: readonly number[],
  rrids: ReadonlyMap<number, string>,
  format: BatchFormat,
): Promise<void> {
  const records = new Map<number, string[]>(ids.map((id) => [id, []]))
  for (const { id, ...row } of await statements.query<MessageRow & { readonly id: number }>(OF_BATCHES, [tree, ids])) {
    records.get(id)?.push(recordOf(row, rrids.get(id) ?? '', format))
  }
  const texts = ids.map((id) => format.batch(records.get(id) ?? []))
  await statements.query(STORE, [tree, ids, format.version, texts])
}

/** Removes the stored answers about batches that change. */
export async function deleteBatchTexts(statements: Statements, tree: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await avoidScans(statements)
  await statements.query(DELETE, [tree, ids])
}

function recordOf({ status, mobile, code, receivedAt }: MessageRow, rrid: string, format: BatchFormat): string {
  return format.record({ status, mobile: decodeText(mobile), rrid, code: decodeText(code), receivedAt })
}
