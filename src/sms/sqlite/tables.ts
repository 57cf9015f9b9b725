import { sql } from 'drizzle-orm'
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
