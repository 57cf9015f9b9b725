import { loopTurn } from '../../../scheduling/loop-turn.ts'
import { type AppliedBatch, type CommitPart, LogFlag, type PartContext } from '../batch.ts'
import type { Parameter, Statements } from '../connection/lane.ts'
import type { Lanes } from '../connection/lanes.ts'
import { BatchConflict } from './batch-conflict.ts'
import type { WriteTurn } from './turns/write-turn.ts'
import { TRIED_LOCK, TRY_LOCK } from './turns/writer-lock.ts'

/** Version of the rows of the log. */
const FORMAT = 1
/** Parameters of a commit that is one statement, in UTF-16 code units; a longer one is several statements. */
const MAX_LENGTH = 1024 * 1024
const MAX_PARTS = 24

/** The row of a batch in the log. */
export interface LogRow {
  readonly next: AppliedBatch
  /** Number of the first commit; one more than `next.seq` when there is none. */
  readonly firstSeq: number
  /** Bits of `LogFlag`. */
  readonly flags: number
  /** JSON text: kind, path and length of the data of each commit. */
  readonly heads: string
  readonly data: string | null
  /** JSON text: names and texts of the settings that the batch writes. */
  readonly settings: string | null
}

/** A batch that is ready to be committed. */
export interface ReadyBatch {
  readonly tree: number
  readonly before: AppliedBatch
  readonly row: LogRow
  readonly parts: readonly CommitPart[]
  /** Approximate length of what it writes, in UTF-16 code units. */
  readonly length: number
}

/** Whether a batch is committed with one statement. */
function isOneStatement({ length, parts }: ReadyBatch): boolean {
  return length <= MAX_LENGTH && parts.length <= MAX_PARTS
}

/**
 * Commits a batch that may meet those of other processes.
 * @param isPolite whether it is left undone while other processes queue
 * @throws `BatchConflict`, with nothing written; what the database throws
 */
export async function commitBatch(lanes: Lanes, ready: ReadyBatch, isPolite: boolean): Promise<void> {
  if (!isOneStatement(ready)) return lanes.transaction((statements) => writeBatch(statements, ready, isPolite))
  const [answer] = await lanes.query<CommitAnswer>(...printed(ready, isPolite))
  check(answer)
}

/** Commits a batch in its turn. @throws as `commitBatch` */
export async function commitInTurn(turn: WriteTurn, ready: ReadyBatch): Promise<void> {
  if (isOneStatement(ready)) {
    const [answer] = await turn.commit<CommitAnswer>(printed(ready, false))
    check(answer)
  } else {
    await writeBatch(turn, ready, false)
    await turn.commit()
  }
}

interface CommitAnswer {
  readonly committed: number
  readonly isFree?: boolean
}

function check(answer: CommitAnswer | undefined): void {
  if (answer?.committed !== 1) throw new BatchConflict(answer?.isFree === false)
}

/** Writes a batch with several statements of one transaction, the row of the log first. @throws `BatchConflict` */
async function writeBatch(
  statements: Statements,
  { tree, before, row, parts }: ReadyBatch,
  isPolite: boolean,
): Promise<void> {
  await insertLogRow(statements, tree, before, row, isPolite)
  for (const part of parts) {
    const { context, parameters } = contextOf('true', [tree])
    const text = part.sql(context)
    await statements.query(text, parameters)
    if (loopTurn.isOver) await loopTurn.pause()
  }
}

/**
 * Inserts the row of a batch.
 * @param isPolite whether it is left undone while other processes queue
 * @throws `BatchConflict`
 */
export async function insertLogRow(
  statements: Statements,
  tree: number,
  before: AppliedBatch,
  row: LogRow,
  isPolite = false,
): Promise<void> {
  const [lock, rows] = await Promise.all([
    isPolite ? statements.query<{ isFree: boolean }>(TRY_LOCK, [tree]) : [],
    statements.query<{ ok: number }>(`${INSERT_LOG} RETURNING 1 AS ok`, logParameters(tree, before, row)),
  ])
  if (lock[0]?.isFree === false) throw new BatchConflict(true)
  if (rows.length !== 1) throw new BatchConflict()
}

/** Stores in the row of a batch what was not known when it was inserted. */
export async function completeLogRow(
  statements: Statements,
  tree: number,
  { batch, nextId }: AppliedBatch,
  flags: number,
): Promise<void> {
  await statements.query(
    'UPDATE log SET next_id = $3::bigint, flags = $4::int WHERE tree = $1::int AND batch = $2::bigint',
    [tree, batch, nextId, flags],
  )
}

/** @param condition one more, or none */
const insertLog = (condition = '') =>
  'INSERT INTO log (tree, batch, first_seq, last_seq, at, push_time, next_id, stamp, format, flags, heads, data, settings) ' +
  'SELECT $1::int, $2::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::text, ' +
  `${FORMAT}, $10::int, $11::text, $12::text, $13::text ` +
  'WHERE EXISTS (SELECT FROM log p WHERE p.tree = $1::int AND p.batch = $2::bigint - 1 AND p.stamp = $3::text ' +
  `AND (p.flags & ${LogFlag.moved} = 0 OR $10::int & ${LogFlag.moved} <> 0)) ` +
  `${condition && `AND ${condition} `}ON CONFLICT DO NOTHING`
const INSERT_LOG = insertLog()

function logParameters(
  tree: number,
  before: AppliedBatch,
  { next, firstSeq, flags, heads, data, settings }: LogRow,
): Parameter[] {
  return [
    tree,
    next.batch,
    before.stamp,
    firstSeq,
    next.seq,
    next.at,
    next.pushTime,
    next.nextId,
    next.stamp,
    flags,
    heads,
    data,
    settings,
  ]
}

function printed({ tree, before, row, parts }: ReadyBatch, isPolite: boolean): readonly [string, Parameter[]] {
  const { context, parameters } = contextOf('EXISTS (SELECT FROM l)', logParameters(tree, before, row))
  const [lock, isFree] = isPolite
    ? [`q AS MATERIALIZED (SELECT ${TRIED_LOCK} AS free), `, '(SELECT free FROM q)']
    : ['', '']
  let text = `WITH ${lock}l AS (${insertLog(isFree)} RETURNING 1)`
  for (const part of parts) text += `, ${part.name} AS (${part.sql(context)})`
  return [`${text} SELECT count(*)::int AS committed${isFree && `, ${isFree} AS "isFree"`} FROM l`, parameters]
}

function contextOf(guard: string, parameters: Parameter[]): { context: PartContext; parameters: Parameter[] } {
  const add = (value: Parameter, type: string) => `$${parameters.push(value)}::${type}`
  return { context: { tree: '$1::int', guard, add }, parameters }
}
