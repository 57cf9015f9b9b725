import { eq, sql } from 'drizzle-orm'
import type { Connection } from '../file/connection.ts'
import { meta } from '../file/schema.ts'
import { defineStatements } from '../file/statements.ts'

export const metaStatements = defineStatements({
  /** Stores the text `value` under `name`. */
  write: ({ orm }) =>
    orm
      .insert(meta)
      .values({ name: sql.placeholder('name'), value: sql.placeholder('value') })
      .onConflictDoUpdate({ target: meta.name, set: { value: sql`excluded.value` } })
      .prepare(),
})

/** A value about the tree as a whole; `undefined` if none is stored. */
export function readMeta({ orm }: Connection, name: string): string | undefined {
  return orm.select({ value: meta.value }).from(meta).where(eq(meta.name, name)).get()?.value
}

export function writeMeta(connection: Connection, name: string, value: string): void {
  metaStatements(connection).write.run({ name, value })
}
