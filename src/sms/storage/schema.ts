/**
 * The tables of one application's text messages, in the file of its tree. Change them with `bun run generate`, then put
 * `WITHOUT ROWID` back into the generated SQL of `sms_message` and `sms_count`: the generator cannot write it. Times are milliseconds
 * since 1970.
 * @see docs/explanation/architecture.md#text-messages
 */
import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { State } from '../model/report.ts'

export const batch = sqliteTable(
  'sms_batch',
  {
    id: integer().primaryKey(),
    rrid: text().notNull().unique(),
    submittedAt: integer('submitted_at').notNull(),
  },
  (table) => [index('sms_batch_submitted').on(table.submittedAt)],
)

export const message = sqliteTable(
  'sms_message',
  {
    batchId: integer('batch_id').notNull(),
    /** Order of submission within the batch. */
    position: integer().notNull(),
    mobile: text().notNull(),
    status: integer().$type<State>().notNull(),
    /** The carrier's code; empty while there is none. */
    code: text().notNull(),
    /** When the carrier reported the state. */
    receivedAt: integer('received_at'),
    /** What the gateway calls it. */
    messageId: text('message_id'),
    producedAt: integer('produced_at'),
    /** Its row in `sms_final`, also when that is gone; null when no batch query is to tell of it. */
    finalSeq: integer('final_seq'),
    /** When elsewhere it was handed over, for a message that was imported. What was handed over here `sms_handover` knows. */
    returnedAt: integer('returned_at'),
  },
  (table) => [
    primaryKey({ columns: [table.batchId, table.position] }),
    uniqueIndex('sms_message_mobile').on(table.batchId, table.mobile),
    index('sms_message_message_id').on(table.messageId).where(sql`${table.messageId} is not null`),
  ],
)

/**
 * Final states in the order in which they became known, with all that a record tells: a batch query reads one stretch of
 * this table and nothing else, however many messages there are.
 */
export const final = sqliteTable('sms_final', {
  /** The moment in milliseconds times 1024, counted on when several fall into one, or the clock goes back. */
  seq: integer().primaryKey(),
  rrid: text().notNull(),
  mobile: text().notNull(),
  status: integer().$type<State>().notNull(),
  code: text().notNull(),
  receivedAt: integer('received_at').notNull(),
})

/** A stretch of final states that a client has been given. */
export const handover = sqliteTable('sms_handover', {
  firstSeq: integer('first_seq').primaryKey(),
  lastSeq: integer('last_seq').notNull(),
  returnedAt: integer('returned_at').notNull(),
})

/** Final reports about messages whose final state was another one already. Nothing follows from them. */
export const contradiction = sqliteTable(
  'sms_contradiction',
  {
    id: integer().primaryKey(),
    rrid: text().notNull(),
    mobile: text().notNull(),
    status: integer().$type<State>().notNull(),
    code: text().notNull(),
    receivedAt: integer('received_at').notNull(),
    /** When it was first reported. */
    arrivedAt: integer('arrived_at').notNull(),
  },
  (table) => [
    uniqueIndex('sms_contradiction_report').on(table.rrid, table.mobile, table.status, table.code),
    index('sms_contradiction_arrived').on(table.arrivedAt),
  ],
)

/** How many there are or were, by a name of `CountName`. */
export const count = sqliteTable('sms_count', { name: text().primaryKey(), value: integer().notNull() })
