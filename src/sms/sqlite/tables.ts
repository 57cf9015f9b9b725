import type { Database as Client, SQLQueryBindings } from 'bun:sqlite'
import { is, Param, Placeholder, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Awaitable } from '../../scheduling/awaitable.ts'

/** Rows that one statement inserts. */
const INSERTED_AT_ONCE = 20

/** Work on the tables. It pauses at each `yield`, and may be run again from its start. */
type Work<T> = (orm: BunSQLiteDatabase) => Generator<void, T>

/** Access to the tables of `schema.ts`. */
export interface Tables {
  /** Reads the latest durable state. @throws `unavailable` */
  read<T>(work: Work<T>): Awaitable<T>
  /** Runs in a transaction that is rolled back when the work throws; durable when it resolves. @throws `unavailable` */
  write<T>(work: Work<T>): Promise<T>
}

/** Prepares statements once for each connection. */
export function perConnection<T>(prepare: (orm: BunSQLiteDatabase) => T): (orm: BunSQLiteDatabase) => T {
  const prepared = new WeakMap<BunSQLiteDatabase, T>()
  return (orm) => {
    const known = prepared.get(orm)
    if (known !== undefined) return known
    const made = prepare(orm)
    prepared.set(orm, made)
    return made
  }
}

/** A value bound later. The `+` keeps SQLite from preparing the statement again for every value. */
export function bound(name: string): ReturnType<typeof sql> {
  return sql`+${sql.placeholder(name)}`
}

/** A statement whose rows are arrays of columns. */
interface DirectStatement<Row extends readonly unknown[]> {
  run(values: Readonly<Record<string, unknown>>): void
  values(values: Readonly<Record<string, unknown>>): Row[]
}

/** A query whose values are placeholders. */
interface PlaceholderQuery {
  toSQL(): { sql: string; params: unknown[] }
}

/**
 * A query as a statement of the client, for what runs for every message: its placeholders cost Drizzle as much as SQLite
 * needs for the rest.
 * @throws Error for a query with another value than placeholders
 */
export function direct<Row extends readonly unknown[] = never>(
  orm: BunSQLiteDatabase,
  query: PlaceholderQuery,
): DirectStatement<Row> {
  const { statement, names } = clientStatement(orm, query)
  const bindingsOf = (values: Readonly<Record<string, unknown>>) =>
    names.map((name) => values[name] as SQLQueryBindings)
  return {
    run: (values) => {
      statement.run(...bindingsOf(values))
    },
    values: (values) => statement.values(...bindingsOf(values)) as unknown as Row[],
  }
}

/**
 * Inserts rows, many with one statement: the call of a statement costs as much as the insertion of a row.
 * @param names columns that have values; the others are null
 */
export function inserting<Table extends SQLiteTable, Name extends keyof Table['$inferInsert'] & string>(
  orm: BunSQLiteDatabase,
  table: Table,
  names: readonly Name[],
): (rows: readonly Readonly<Pick<Table['$inferInsert'], Name>>[]) => void {
  const one = insertStatement(orm, table, names, 1)
  let many: RowInsertion | undefined
  return (rows) => {
    let at = 0
    for (; at + INSERTED_AT_ONCE <= rows.length; at += INSERTED_AT_ONCE) {
      // It takes much memory, and most transactions insert few rows.
      many ??= insertStatement(orm, table, names, INSERTED_AT_ONCE)
      many(rows.slice(at, at + INSERTED_AT_ONCE))
    }
    for (; at < rows.length; at++) one(rows.slice(at, at + 1))
  }
}

/** Inserts as many rows as its statement has. */
type RowInsertion = (rows: readonly Readonly<Record<string, unknown>>[]) => void

function insertStatement(
  orm: BunSQLiteDatabase,
  table: SQLiteTable,
  columns: readonly string[],
  count: number,
): RowInsertion {
  const row = Object.fromEntries(columns.map((column) => [column, sql.placeholder(column)]))
  const query = orm.insert(table).values(new Array(count).fill(row))
  const { statement, names } = clientStatement(orm, query)
  // Drizzle orders the columns of a row as the table does.
  const order = names.slice(0, columns.length)
  return (rows) => {
    statement.run(...rows.flatMap((values) => order.map((name) => values[name] as SQLQueryBindings)))
  }
}

function clientStatement(orm: BunSQLiteDatabase, query: PlaceholderQuery) {
  const { sql: text, params } = query.toSQL()
  // A member of every database of this driver that its type leaves out.
  const { $client: client } = orm as BunSQLiteDatabase & { readonly $client: Client }
  return { statement: client.prepare<unknown, SQLQueryBindings[]>(text), names: params.map(nameOf) }
}

function nameOf(param: unknown): string {
  const value = is(param, Param) ? param.value : param
  if (!is(value, Placeholder)) throw new Error('a direct statement has placeholders only')
  return value.name
}
