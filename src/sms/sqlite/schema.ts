/**
 * The tables of one application's text messages, in the file of its tree. Change them with `bun run generate`, then put
 * `WITHOUT ROWID` back into the generated SQL of `sms_message` and `sms_count`: the generator cannot write it. Times are milliseconds
 * since 1970.
 * @see docs/explanation/text-messages.md
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
    /** Id that the gateway gave it. */
    messageId: text('message_id'),
    producedAt: integer('produced_at'),
    /** Sequence number in `sms_final`, even when that row is deleted; null when the batch query never returns it. */
    finalSeq: integer('final_seq'),
    /** When another system returned it, for an imported message. What this one returned is in `sms_handover`. */
    returnedAt: integer('returned_at'),
  },
  (table) => [
    primaryKey({ columns: [table.batchId, table.position] }),
    uniqueIndex('sms_message_mobile').on(table.batchId, table.mobile),
    index('sms_message_message_id').on(table.messageId).where(sql`${table.messageId} is not null`),
  ],
)

/**
 * The whole answer about a batch whose messages are all final, so that one row answers for them. A batch without a row is
 * answered from its messages.
 */
export const batchText = sqliteTable('sms_text', {
  batchId: integer('batch_id').primaryKey(),
  /** `BatchFormat.version` that wrote the text: the server may have another time zone by now. */
  version: text().notNull(),
  text: text().notNull(),
})

/**
 * Final states in the order in which they became known, with every field of a record: the batch query reads one range of
 * this table and nothing else, however many messages there are.
 */
export const final = sqliteTable('sms_final', {
  /** Milliseconds times 1024, incremented for states of the same millisecond and while the clock is set back. */
  seq: integer().primaryKey(),
  rrid: text().notNull(),
  mobile: text().notNull(),
  status: integer().$type<State>().notNull(),
  code: text().notNull(),
  receivedAt: integer('received_at').notNull(),
})

/** A range of final states that a client has received. */
export const handover = sqliteTable('sms_handover', {
  firstSeq: integer('first_seq').primaryKey(),
  lastSeq: integer('last_seq').notNull(),
  returnedAt: integer('returned_at').notNull(),
})

/** Final reports about messages that had another final state already. They change nothing. */
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

/** Counts by `CountName`. */
export const count = sqliteTable('sms_count', { name: text().primaryKey(), value: integer().notNull() })
