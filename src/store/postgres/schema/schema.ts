/**
 * The tables of one installation on PostgreSQL. Every table of a tree begins with the number of the tree. Change them with
 * `bun run generate:postgres`, then put the storage parameters back into the generated SQL: the generator cannot write them.
 * Names have no schema: the connection's `search_path` names it. Times are milliseconds since 1970.
 * @see docs/explanation/postgres.md#schema
 */
import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'

/** Text that compares by its UTF-8 bytes. */
const bytewise = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' })
const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })
const number = (name: string) => bigint(name, { mode: 'number' })
const tree = () => integer('tree').notNull()

/** An application and its tree. */
export const application = pgTable('application', {
  id: bytewise('id').primaryKey(),
  tree: integer('tree').notNull().generatedAlwaysAsIdentity().unique(),
  /** A random text of one history of the tree. */
  epoch: text('epoch').notNull(),
  /** JSON text of the settings that it was added with; null for the default application of a server. */
  settings: text('settings'),
  /** Its super secret, as `SecretBox` stores it; null until a process needs it. */
  secret: text('secret'),
  /** The key that signs calls about text messages, stored the same way. */
  smsKey: text('sms_key'),
  /** Grows with each replacement of a key. */
  keysVersion: integer('keys_version').notNull().default(0),
  /** When it was removed, while its tree is kept. */
  removedAt: number('removed_at'),
  /** When the last batch query of text messages was admitted, by the clock of the database. */
  smsCalledAt: number('sms_called_at').notNull().default(0),
  /** Where the tree was moved, in words for the operator; null while it is here. A moved tree is never opened. */
  movedTo: text('moved_to'),
  /** Random text of the copy that has made this tree, or that has moved it. */
  copy: text('copy'),
  /** Whether a copy still writes the rows of this tree. It is not opened meanwhile. */
  isArriving: boolean('is_arriving').notNull().default(false),
})

/** A tree without an application, whose rows are removed in steps. */
export const removedTree = pgTable('removed_tree', {
  tree: integer('tree').primaryKey(),
  removedAt: number('removed_at').notNull(),
  /** Whether no process has it open any more. */
  isFree: boolean('is_free').notNull().default(false),
})

/** A batch that every live process must confirm. */
export const confirmationRequest = pgTable(
  'confirmation_request',
  { tree: tree(), batch: number('batch').notNull(), requestedAt: number('requested_at').notNull() },
  (table) => [primaryKey({ columns: [table.tree, table.batch] })],
)

/** A process has applied a batch of a tree, or does not have the tree open. */
export const confirmation = pgTable(
  'confirmation',
  { process: bytewise('process').notNull(), tree: tree(), batch: number('batch').notNull() },
  (table) => [primaryKey({ columns: [table.tree, table.batch, table.process] })],
)

/** Wrong credentials of a network in the minute that began with the first of them. The table is UNLOGGED. */
export const credentialFailure = pgTable('credential_failure', {
  network: bytewise('network').primaryKey(),
  beganAt: number('began_at').notNull(),
  failed: integer('failed').notNull(),
})

/** A process that serves this installation. */
export const process = pgTable('process', {
  /** A random id of one run of the process. */
  id: bytewise('id').primaryKey(),
  version: text('version').notNull(),
  /** Greatest version of log rows that it understands. */
  format: smallint('format').notNull(),
  host: text('host').notNull(),
  startedAt: number('started_at').notNull(),
  /** When it was last alive, by the clock of the database. */
  seenAt: number('seen_at').notNull(),
  /** Number of migrations that it knows; null for a version before this column. */
  migrations: integer('migrations'),
})

/**
 * One row for each batch: a transaction that writes to the tree. Its number has no gaps; inserting it is the right to write
 * after the batch before it. The last row is never removed.
 */
export const log = pgTable(
  'log',
  {
    tree: tree(),
    batch: number('batch').notNull(),
    /** Number of the first commit in the batch; one more than `lastSeq` when it has none. */
    firstSeq: number('first_seq').notNull(),
    /** Number of the last commit up to this batch. */
    lastSeq: number('last_seq').notNull(),
    /** Time of the batch, never smaller than that of the batch before. */
    at: number('at').notNull(),
    /** Floor of the time in generated keys. */
    pushTime: number('push_time').notNull(),
    /** Next id of interior nodes, indexes and batches of text messages. */
    nextId: number('next_id').notNull(),
    /** Random text that distinguishes this batch from another one of the same number. */
    stamp: text('stamp').notNull(),
    /** Version of the row. */
    format: smallint('format').notNull(),
    /** Bits of what changed beside the tree; see `LogFlag`. */
    flags: integer('flags').notNull(),
    /** JSON text: kind, path and length of the data of each commit. */
    heads: text('heads').notNull(),
    /** Stored text of the written data of all commits, one after the other. */
    data: text('data'),
    /** JSON text: names and texts of the settings that the batch has written. */
    settings: text('settings'),
  },
  (table) => [primaryKey({ columns: [table.tree, table.batch] }), index('log_seq').on(table.tree, table.lastSeq)],
)

/** Texts beside the tree by name, such as the source of the rules. */
export const setting = pgTable(
  'setting',
  { tree: tree(), name: bytewise('name').notNull(), text: text('text').notNull() },
  (table) => [primaryKey({ columns: [table.tree, table.name] })],
)

/** A slot: one child of an interior node, or the root under parent 0 with key ''. */
export const node = pgTable(
  'node',
  {
    tree: tree(),
    parentId: number('parent_id').notNull(),
    /** `sortKey` of the key. */
    key: bytewise('key').notNull(),
    /** One of `SlotKind`. */
    kind: smallint('kind').notNull(),
    /** Stored text; null for an interior node. */
    value: text('value'),
    /** Id of the interior node; null for a text. */
    id: number('id'),
  },
  (table) => [primaryKey({ columns: [table.tree, table.parentId, table.key] })],
)

/** A node whose children have slots. */
export const interior = pgTable(
  'interior',
  {
    tree: tree(),
    id: number('id').notNull(),
    parentId: number('parent_id').notNull(),
    key: bytewise('key').notNull(),
    /** Number of children; a priority is not one. */
    childCount: integer('child_count').notNull(),
    /** Bits of `Trait`. */
    traits: integer('traits').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tree, table.id] })],
)

/** Every pair of an interior node and one at or below it. */
export const closure = pgTable(
  'closure',
  {
    tree: tree(),
    ancestor: number('ancestor').notNull(),
    descendant: number('descendant').notNull(),
    depth: smallint('depth').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tree, table.ancestor, table.descendant] }),
    uniqueIndex('closure_up').on(table.tree, table.descendant, table.depth, table.ancestor),
  ],
)

/** Interior nodes that are not part of the tree and whose rows must be removed. */
export const detached = pgTable('detached', { tree: tree(), id: number('id').notNull() }, (table) => [
  primaryKey({ columns: [table.tree, table.id] }),
])

/** An index over the children of one interior node, the list. */
export const indexDefinition = pgTable(
  'index_definition',
  {
    tree: tree(),
    id: number('id').notNull(),
    /** Negative once the index is dropped and only its entries are left to remove. */
    listId: number('list_id').notNull(),
    /** JSON text: an array of one child path, or `"$key"`. */
    path: bytewise('path').notNull(),
    /** Null when it is complete, else the last key whose child has its entry; empty at first. */
    builtTo: bytewise('built_to'),
    /** Whether an entry may hold only the beginning of its text. Set, never cleared. */
    hasCut: boolean('has_cut').notNull(),
    usedAt: number('used_at').notNull(),
    /** Entries that its build has written; later writes are not counted. */
    entries: number('entries').notNull().default(0),
    covering: boolean('covering').notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.tree, table.id] }),
    uniqueIndex('index_definition_list').on(table.tree, table.listId, table.path),
  ],
)

/** One row for each child of an indexed list with a value, and marks; as in the SQLite file. */
export const indexEntry = pgTable(
  'index_entry',
  {
    tree: tree(),
    indexId: number('index_id').notNull(),
    /** One of `SortKind`. */
    kind: smallint('kind').notNull(),
    /** A number as eight bytes in order, or a text encoded by `sortText` as UTF-8, cut. */
    value: bytea('value').notNull(),
    key: bytewise('key').notNull(),
    /** In a covering index the text of the child, if it is short. */
    text: text('text'),
  },
  (table) => [primaryKey({ columns: [table.tree, table.indexId, table.kind, table.value, table.key] })],
)

/** Idempotency records: outcomes of writes that may be sent again. */
export const note = pgTable(
  'note',
  {
    tree: tree(),
    key: bytewise('key').notNull(),
    at: number('at').notNull(),
    text: text('text').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tree, table.key] }), index('note_at').on(table.tree, table.at)],
)

/** A session of a client that wants values written when it has ended. */
export const session = pgTable(
  'session',
  {
    tree: tree(),
    session: bytewise('session').notNull(),
    /** Random id of the process that its client is connected to, or that writes what it has left. */
    process: bytewise('process').notNull(),
    /** Its caller, as JSON text. */
    caller: text('caller').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tree, table.session] }),
    index('session_process').on(table.process, table.tree),
  ],
)

/** A value that the client of a session wants written when it has ended. */
export const sessionValue = pgTable(
  'session_value',
  {
    tree: tree(),
    session: bytewise('session').notNull(),
    /** Its number in the session. A number is not used again. */
    position: integer('position').notNull(),
    /** JSON text of the keys of its path. */
    path: text('path').notNull(),
    /** JSON text of the value. */
    json: text('json').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tree, table.session, table.position] })],
)
