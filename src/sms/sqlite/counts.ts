import { sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { COUNT_NAMES, type CountName, type Counts, type Tally } from '../model/counts.ts'
import { count } from './schema.ts'
import { direct, perConnection } from './tables.ts'

const statements = perConnection((orm) => ({
  all: orm.select().from(count).prepare(),
  add: direct(
    orm,
    orm
      .insert(count)
      .values({ name: sql.placeholder('name'), value: sql.placeholder('by') })
      .onConflictDoUpdate({ target: count.name, set: { value: sql`${count.value} + excluded.value` } }),
  ),
}))

/** Writes the changes of a transaction at its end. */
export function addToCounts(orm: BunSQLiteDatabase, tally: Tally): void {
  const { add } = statements(orm)
  for (const [name, by] of tally.changes()) add.run({ name, by })
}

export function readCounts(orm: BunSQLiteDatabase): Counts {
  const stored = new Map(
    statements(orm)
      .all.all()
      .map(({ name, value }) => [name, value]),
  )
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, stored.get(name) ?? 0])) as Record<CountName, number>
}
