/**
 * The tables of text messages on PostgreSQL: those of the SQLite file with the number of the tree first, and leases. Change them
 * with `bun run generate:postgres`, then put the storage parameters back into the generated SQL. Times are milliseconds since 1970.
 * @see docs/explanation/text-messages.md
 */
import { sql } from 'drizzle-orm'
import {
  bigint,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { State } from '../model/report.ts'

/** Text that compares by its UTF-8 bytes. */
const bytewise = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' })
const number = (name: string) => bigint(name, { mode: 'number' })
const tree = () => integer('tree').notNull()
const state = () => smallint('status').$type<State>().notNull()

export const smsBatch = pgTable(
  'sms_batch',
  {
    tree: tree(),
    /** One of the ids of the tree. */
    id: number('id').notNull(),
    rrid: bytewise('rrid').notNull(),
    submittedAt: number('submitted_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tree, table.id] }),
    uniqueIndex('sms_batch_rrid').on(table.tree, table.rrid),
    index('sms_batch_submitted').on(table.tree, table.submittedAt),
  ],
)

export const smsMessage = pgTable(
  'sms_message',
  {
    tree: tree(),
    batchId: number('batch_id').notNull(),
    /** Order of submission within the batch. */
    position: integer('position').notNull(),
    mobile: bytewise('mobile').notNull(),
    status: state(),
    /** The carrier's code; empty while there is none. */
    code: text('code').notNull(),
    /** When the carrier reported the state. */
    receivedAt: number('received_at'),
    /** Id that the gateway gave it. */
    messageId: bytewise('message_id'),
    producedAt: number('produced_at'),
    /** Sequence number in `sms_final`, even when that row is deleted; null when the batch query never returns it. */
    finalSeq: number('final_seq'),
    /** When another system returned it, for an imported message. What this one returned is in `sms_handover`. */
    returnedAt: number('returned_at'),
  },
  (table) => [
    primaryKey({ columns: [table.tree, table.batchId, table.position] }),
    uniqueIndex('sms_message_mobile').on(table.tree, table.batchId, table.mobile),
    index('sms_message_message_id').on(table.tree, table.messageId, table.batchId).where(sql`message_id is not null`),
  ],
)

/** The whole answer about a batch whose messages are all final. A batch without a row is answered from its messages. */
export const smsText = pgTable(
  'sms_text',
  {
    tree: tree(),
    batchId: number('batch_id').notNull(),
    /** `BatchFormat.version` that wrote the text. */
    version: text('version').notNull(),
    text: text('text').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tree, table.batchId] })],
)

/** Final states in the order in which they became known, with every field of a record. */
export const smsFinal = pgTable(
  'sms_final',
  {
    tree: tree(),
    /** Milliseconds times 1024, incremented for states of the same millisecond and while the clock is set back. */
    seq: number('seq').notNull(),
    rrid: text('rrid').notNull(),
    mobile: text('mobile').notNull(),
    status: state(),
    code: text('code').notNull(),
    receivedAt: number('received_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tree, table.seq] })],
)

/** A range of final states that a client has received. */
export const smsHandover = pgTable(
  'sms_handover',
  {
    tree: tree(),
    firstSeq: number('first_seq').notNull(),
    lastSeq: number('last_seq').notNull(),
    returnedAt: number('returned_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tree, table.firstSeq] })],
)

/** A range of final states that a process has handed out and that is not yet acknowledged. It ends with its process. */
export const smsLease = pgTable(
  'sms_lease',
  {
    tree: tree(),
    firstSeq: number('first_seq').notNull(),
    lastSeq: number('last_seq').notNull(),
    /** Random id of the process that leased it. */
    process: bytewise('process').notNull(),
    /** Random text of this lease: one that was freed and leased again is another. */
    token: text('token').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tree, table.firstSeq] }), index('sms_lease_process').on(table.process)],
)

/** Final reports about messages that had another final state already. They change nothing. */
export const smsContradiction = pgTable(
  'sms_contradiction',
  {
    tree: tree(),
    rrid: bytewise('rrid').notNull(),
    mobile: bytewise('mobile').notNull(),
    status: state(),
    code: bytewise('code').notNull(),
    receivedAt: number('received_at').notNull(),
    /** When it was first reported. */
    arrivedAt: number('arrived_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tree, table.rrid, table.mobile, table.status, table.code] }),
    index('sms_contradiction_arrived').on(table.tree, table.arrivedAt),
  ],
)

/** Counts by `CountName`. */
export const smsCount = pgTable(
  'sms_count',
  { tree: tree(), name: bytewise('name').notNull(), value: number('value').notNull() },
  (table) => [primaryKey({ columns: [table.tree, table.name] })],
)
