import { databaseUrl, freshSchema } from './cluster.ts'

/** Settings of servers and commands on one new installation. */
export function databaseSettings(): Record<string, string> {
  return { DATABASE_URL: databaseUrl() ?? '', DATABASE_SCHEMA: freshSchema() }
}
