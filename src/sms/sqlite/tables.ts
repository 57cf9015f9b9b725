import type { Database as Client, SQLQueryBindings } from 'bun:sqlite'
import { is, Param, Placeholder, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { Awaitable } from '../../scheduling/awaitable.ts'

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

/**
 * A query as a statement of the client, for what runs for every message: its placeholders cost Drizzle as much as SQLite
 * needs for the rest.
 * @throws Error for a query with another value than placeholders
 */
export function direct<Row extends readonly unknown[] = never>(
  orm: BunSQLiteDatabase,
  query: { toSQL(): { sql: string; params: unknown[] } },
): DirectStatement<Row> {
  const { sql: text, params } = query.toSQL()
  const names = params.map(nameOf)
  // A member of every database of this driver that its type leaves out.
  const { $client: client } = orm as BunSQLiteDatabase & { readonly $client: Client }
  const statement = client.prepare<unknown, SQLQueryBindings[]>(text)
  const bindingsOf = (values: Readonly<Record<string, unknown>>) =>
    names.map((name) => values[name] as SQLQueryBindings)
  return {
    run: (values) => {
      statement.run(...bindingsOf(values))
    },
    values: (values) => statement.values(...bindingsOf(values)) as unknown as Row[],
  }
}

function nameOf(param: unknown): string {
  const value = is(param, Param) ? param.value : param
  if (!is(value, Placeholder)) throw new Error('a direct statement has placeholders only')
  return value.name
}
