/**
 * The tables of one application's tree. Change them with `bun run generate`, then put `WITHOUT ROWID` back into the
 * generated SQL of `node`, `closure` and `index_entry`: the generator cannot write it.
 * @see docs/explanation/storage.md#schema
 */
import { blob, index, integer, primaryKey, sqliteTable, text, unique, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * A slot: one child of an interior node, or the root under parent 0 with key ''. It holds a leaf, a whole small subtree
 * as text, or an interior node.
 */
export const node = sqliteTable(
  'node',
  {
    parentId: integer('parent_id').notNull(),
    /** `sortKey` of the key. */
    key: text().notNull(),
    /** One of `SlotKind`. */
    kind: integer().notNull(),
    /** Stored text; of a long text in chunks its beginning; null for an interior node. */
    value: text(),
    /** Id of the interior node or of the text in chunks; null for a text of its own. */
    id: integer(),
  },
  (table) => [primaryKey({ columns: [table.parentId, table.key] })],
)

/** A node whose children have slots, or a text that is stored in chunks. */
export const interior = sqliteTable('interior', {
  id: integer().primaryKey(),
  parentId: integer('parent_id').notNull(),
  key: text().notNull(),
  /** Number of children; a priority is not one. */
  childCount: integer('child_count').notNull(),
  /** Bits of `Trait`. */
  traits: integer().notNull(),
})

/** The chunks of long texts, in their order. One row of a whole text would make every statement that reads or writes it take long. */
export const textChunk = sqliteTable('text_chunk', {
  /** `chunkKey` of the id of the text and the number of the chunk. */
  id: integer().primaryKey(),
  /** A part of the stored text. */
  text: text().notNull(),
})

/** Every pair of an interior node and one at or below it. */
export const closure = sqliteTable(
  'closure',
  {
    ancestor: integer().notNull(),
    descendant: integer().notNull(),
    depth: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.ancestor, table.descendant] }),
    uniqueIndex('closure_up').on(table.descendant, table.depth, table.ancestor),
  ],
)

/** Interior nodes that are not part of the tree and whose rows must be removed. */
export const detached = sqliteTable('detached', { id: integer().primaryKey() })

/**
 * An index over the children of one interior node, the list. It is created and dropped at run time, as rows. `path` is
 * JSON text: an array of one child path, or `"$key"`.
 */
export const indexDefinition = sqliteTable(
  'index_definition',
  {
    id: integer().primaryKey(),
    /** Negative once the index is dropped and only its entries are left to remove. */
    listId: integer('list_id').notNull(),
    path: text().notNull(),
    /** Null when it is complete; else the empty text, or a key in files of versions that built in key order. */
    builtTo: text('built_to'),
    /** Whether an entry may hold only the beginning of its text. Set, never cleared. */
    hasCut: integer('has_cut', { mode: 'boolean' }).notNull(),
    /** Time of a query that used it, in milliseconds since 1970; not always the last one. */
    usedAt: integer('used_at').notNull(),
    /** Entries that its build has written; later writes are not counted. */
    entries: integer().notNull().default(0),
    /** Whether its entries hold the short texts of the children. Never set later. */
    covering: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    unique('index_definition_list').on(table.listId, table.path),
    index('index_definition_used').on(table.usedAt),
  ],
)

/**
 * One row for each child of an indexed list with a value, and a mark of kind `none` for each child without a value next
 * to one with a value: it leads to the children without rows. Files of earlier versions have a mark for every child
 * without a value. The index over `"$key"` has rows for integer keys only, with the key as their value.
 */
export const indexEntry = sqliteTable(
  'index_entry',
  {
    indexId: integer('index_id').notNull(),
    /** One of `SortKind`. */
    kind: integer().notNull(),
    /** A number or a string encoded by `sortText`: a blob column converts neither. */
    value: blob().notNull(),
    key: text().notNull(),
    /** In a covering index the text of the child, if it is short; otherwise it has no meaning. */
    text: text(),
  },
  (table) => [primaryKey({ columns: [table.indexId, table.kind, table.value, table.key] })],
)

/**
 * The change log: one row for a commit or for several consecutive ones. The newest row is never removed, so that numbers
 * continue from it: AUTOINCREMENT would make every commit write one more page.
 */
export const change = sqliteTable('change', {
  /** Number of the last commit in the row. */
  seq: integer().primaryKey(),
  at: integer().notNull(),
  kind: text({ enum: ['put', 'patch', 'group'] }).notNull(),
  /** Path as text; for several commits, JSON text of kind, path and length of the data of each. */
  path: text().notNull(),
  /** Stored text of the written data, for several commits one after the other; null when it was too long to store. */
  data: text(),
})

/**
 * Facts about the tree as a whole: `epoch`, `push_time`, settings; `moved_to`, where a copy has moved it, and `copy`, a random
 * text of the copy that has made or moved it.
 */
export const meta = sqliteTable('meta', { name: text().primaryKey(), value: text().notNull() })

/** A session of a client that wants values written when it has ended. A server that was killed writes them when it starts again. */
export const session = sqliteTable('session', {
  session: text().primaryKey(),
  /** Its caller, as JSON text. */
  caller: text().notNull(),
})

/** A value that the client of a session wants written when it has ended. */
export const sessionValue = sqliteTable(
  'session_value',
  {
    session: text().notNull(),
    /** Its number in the session. A number is not used again. */
    position: integer().notNull(),
    /** JSON text of the keys of its path. */
    path: text().notNull(),
    /** JSON text of the value. */
    json: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.session, table.position] })],
)

/** Idempotency records, oldest first: outcomes of writes that may be sent again. */
export const note = sqliteTable('note', {
  /** Grows by one, so that the first and last bound the number of rows. */
  seq: integer().primaryKey(),
  key: text().notNull().unique(),
  /** In milliseconds since 1970; never smaller than that of an earlier row, even when the clock is put back. */
  at: integer().notNull(),
  text: text().notNull(),
})
