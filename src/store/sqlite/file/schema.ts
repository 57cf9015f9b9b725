/**
 * The tables of one application's tree. Change them with `bun run generate`, then put `WITHOUT ROWID` back into the
 * generated SQL of `node`, `closure` and `index_entry`: the generator cannot write it.
 * @see docs/explanation/storage.md#schema
 */
import { blob, index, integer, primaryKey, sqliteTable, text, unique, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * A slot: one child of an interior node (or the root, under parent 0 with key ''). It is a leaf, a whole small subtree
 * as text, or an interior node of its own.
 */
export const node = sqliteTable(
  'node',
  {
    parentId: integer('parent_id').notNull(),
    /** `sortKey` of the key. */
    key: text().notNull(),
    /** One of `SlotKind`. */
    kind: integer().notNull(),
    /** Finished stored text; null for an interior node. */
    value: text(),
    /** The interior node standing here; null for all others. */
    id: integer(),
  },
  (table) => [primaryKey({ columns: [table.parentId, table.key] })],
)

/** A node whose children are slots of their own. */
export const interior = sqliteTable('interior', {
  id: integer().primaryKey(),
  parentId: integer('parent_id').notNull(),
  key: text().notNull(),
  /** Number of children; a priority is not one. */
  childCount: integer('child_count').notNull(),
  /** Bits of `Trait`: what a reader of the children must look out for. */
  traits: integer().notNull(),
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

/** Interior nodes cut off by a delete whose rows are still to be removed. */
export const detached = sqliteTable('detached', { id: integer().primaryKey() })

/**
 * An index over the children of one interior node: the `list`. It is made and dropped at run time, as rows. `path` is
 * JSON text: a list of child paths, of which there is one so far, or `"$key"`.
 */
export const indexDefinition = sqliteTable(
  'index_definition',
  {
    id: integer().primaryKey(),
    /** Negative once the index is given up and only its entries are left to remove. */
    listId: integer('list_id').notNull(),
    path: text().notNull(),
    /** Children up to this key have their entries; null when all have. */
    builtTo: text('built_to'),
    /** Whether an entry may stand for a longer text than it holds. Set, never cleared. */
    hasCut: integer('has_cut', { mode: 'boolean' }).notNull(),
    /** Time of a query that used it, in milliseconds since 1970; not always the last one. */
    usedAt: integer('used_at').notNull(),
    /** Entries that building it has written. Those that writes have added or removed since are not counted. */
    entries: integer().notNull().default(0),
  },
  (table) => [
    unique('index_definition_list').on(table.listId, table.path),
    index('index_definition_used').on(table.usedAt),
  ],
)

/**
 * One row for each child of an indexed list that has a value, and one of kind `none` for each child without a value
 * next to one that has one: it leads to those without rows. Files of earlier versions have such a row for every child
 * without a value. The index over `"$key"` has rows for integer keys alone, with the key as their value.
 */
export const indexEntry = sqliteTable(
  'index_entry',
  {
    indexId: integer('index_id').notNull(),
    /** One of `SortKind`. */
    kind: integer().notNull(),
    /** A number or an encoded string as SQLite compares them: a blob column converts neither. */
    value: blob().notNull(),
    key: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.indexId, table.kind, table.value, table.key] })],
)

/**
 * The change log: one commit a row, or several that follow each other. Its newest entry is never removed, so numbers go
 * on from it: AUTOINCREMENT would make every commit write one more page.
 */
export const change = sqliteTable('change', {
  /** Number of the commit, of the last one where there are several. */
  seq: integer().primaryKey(),
  at: integer().notNull(),
  kind: text({ enum: ['put', 'patch', 'group'] }).notNull(),
  /** Of several: JSON text of kind, path and length of the data of each. */
  path: text().notNull(),
  /** Stored text of what was written, of several one behind the other; null when it was too large to keep. */
  data: text(),
})

/** Facts about the tree as a whole: `epoch`, `push_time`. */
export const meta = sqliteTable('meta', { name: text().primaryKey(), value: text().notNull() })

/** Notes of jobs, the oldest first: what became of writes that may come again. */
export const note = sqliteTable('note', {
  /** Counts on, so that the first and last tell how many there are at the most. */
  seq: integer().primaryKey(),
  key: text().notNull().unique(),
  /** In milliseconds since 1970, never smaller than that of an earlier one, whatever the clock says. */
  at: integer().notNull(),
  text: text().notNull(),
})
