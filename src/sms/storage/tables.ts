import { sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { Awaitable } from '../../scheduling/awaitable.ts'

/** Work on the tables of the messages. It gives way to others wherever it yields, and may be run again from its start. */
type Work<T> = (orm: BunSQLiteDatabase) => Generator<void, T>

/** The tables of `schema.ts`, whoever keeps them. */
export interface Tables {
  /** Reads what is durable. @throws `unavailable` */
  read<T>(work: Work<T>): Awaitable<T>
  /** Runs in a transaction of which nothing stays when the work throws; durable when it resolves. @throws `unavailable` */
  write<T>(work: Work<T>): Promise<T>
}

/** What is prepared on a connection, once for each. */
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

/** A value bound later. The `+` keeps SQLite from preparing the statement anew for every value. */
export function bound(name: string): ReturnType<typeof sql> {
  return sql`+${sql.placeholder(name)}`
}
