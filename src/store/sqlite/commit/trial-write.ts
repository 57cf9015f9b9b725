import { sql } from 'drizzle-orm'
import { atOnce } from '../../../scheduling/steps.ts'
import { meta } from '../file/schema.ts'
import type { SideWork } from '../file/side-tables.ts'

const TRIAL = 'trial'

export const writeNothing: SideWork<void> = function* () {}

/** Writes a row that means nothing, to see whether the file can be written. */
export const trialWrite: SideWork<void> = (orm) =>
  atOnce(() => {
    // SQLite would not write an unchanged value.
    const value = sql`${Date.now()} || '-' || hex(randomblob(4))`
    orm.insert(meta).values({ name: TRIAL, value }).onConflictDoUpdate({ target: meta.name, set: { value } }).run()
  })
