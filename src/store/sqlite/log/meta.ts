import { eq } from 'drizzle-orm'
import type { Connection } from '../file/connection.ts'
import { meta } from '../file/schema.ts'

/** A value about the tree as a whole; `undefined` if none is stored. */
export function readMeta({ orm }: Connection, name: string): string | undefined {
  return orm.select({ value: meta.value }).from(meta).where(eq(meta.name, name)).get()?.value
}

export function writeMeta({ orm }: Connection, name: string, value: string): void {
  orm.insert(meta).values({ name, value }).onConflictDoUpdate({ target: meta.name, set: { value } }).run()
}
