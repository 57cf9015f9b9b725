import journal from '../../../../drizzle/sqlite/meta/_journal.json' with { type: 'json' }
import { Client } from './client.ts'

/** Table in which Drizzle records the applied migrations. */
export const APPLIED = '__drizzle_migrations'

/** Version of a file's tables compared with this program. */
export type FileAge = 'none' | 'older' | 'current' | 'newer'

/** Time of the newest known migration, in milliseconds since 1970. */
const KNOWN = Math.max(...journal.entries.map(({ when }) => when))

/**
 * Compares the tables of a file with those of this program, which migrates older ones when it opens the file and refuses
 * newer ones. `none` when the file has no migration.
 */
export function fileAge(client: Client): FileAge {
  const latest = appliedUntil(client)
  if (latest === 0) return 'none'
  if (latest === KNOWN) return 'current'
  return latest < KNOWN ? 'older' : 'newer'
}

/** Time of the newest applied migration, in milliseconds since 1970; 0 when there is none. */
export function appliedUntil(client: Client): number {
  const table = client
    .prepare<{ found: number }, []>(`SELECT 1 AS found FROM sqlite_schema WHERE name = '${APPLIED}' AND type = 'table'`)
    .get()
  if (table === null) return 0
  const applied = client
    .prepare<{ latest: number | null }, []>(`SELECT max(created_at) AS latest FROM ${APPLIED}`)
    .get()
  return Number(applied?.latest ?? 0)
}

/** As `fileAge`, for a file that is not open here. @throws when it cannot be read */
export function ageOf(file: string): FileAge {
  const client = new Client(file, { readonly: true })
  try {
    return fileAge(client)
  } finally {
    client.close()
  }
}
