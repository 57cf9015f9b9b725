import { sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { State } from '../model/report.ts'
import { count } from './schema.ts'
import { perConnection } from './tables.ts'

/** What is counted: messages by the state they are in, reports by what became of them, states handed over. */
const COUNT_NAMES = [
  'notSent',
  'sending',
  'delivered',
  'failed',
  'reportsAccepted',
  'reportsRepeated',
  'reportsContradicting',
  'reportsLate',
  'reportsUnknown',
  'statusesReturned',
] as const

export type CountName = (typeof COUNT_NAMES)[number]
export type Counts = Readonly<Record<CountName, number>>

/** The name under which messages of each state are counted. */
export const STATE_COUNTS = ['notSent', 'sending', 'delivered', 'failed'] as const satisfies readonly CountName[]

const statements = perConnection((orm) => ({
  all: orm.select().from(count).prepare(),
  add: orm
    .insert(count)
    .values({ name: sql.placeholder('name'), value: sql.placeholder('by') })
    .onConflictDoUpdate({ target: count.name, set: { value: sql`${count.value} + excluded.value` } })
    .prepare(),
}))

/** What one transaction adds to the counts, written once at its end. */
export class Tally {
  readonly #by = new Map<CountName, number>()

  add(name: CountName, by = 1): void {
    this.#by.set(name, (this.#by.get(name) ?? 0) + by)
  }

  /** A message goes from one state to another. */
  move(from: State, to: State): void {
    this.add(STATE_COUNTS[from], -1)
    this.add(STATE_COUNTS[to])
  }

  write(orm: BunSQLiteDatabase): void {
    const { add } = statements(orm)
    for (const [name, by] of this.#by) if (by !== 0) add.run({ name, by })
  }
}

export function readCounts(orm: BunSQLiteDatabase): Counts {
  const kept = new Map(
    statements(orm)
      .all.all()
      .map(({ name, value }) => [name, value]),
  )
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, kept.get(name) ?? 0])) as Record<CountName, number>
}
