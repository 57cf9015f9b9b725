import journal from '../../../../drizzle/sqlite/meta/_journal.json' with { type: 'json' }
import { Client } from './client.ts'

/** Where Drizzle keeps which migrations a file has had. */
export const APPLIED = '__drizzle_migrations'

/** How the tables of a file compare with those this program knows. */
export type FileAge = 'none' | 'older' | 'current' | 'newer'

/** Time of the newest migration this program has, in milliseconds since 1970. */
const KNOWN = Math.max(...journal.entries.map(({ when }) => when))

/**
 * Whether the tables of a file are those of this program: it brings older ones up to date when it opens the file, and
 * does not understand newer ones. `none` when there are no tables of ours.
 */
export function fileAge(client: Client): FileAge {
  const latest = appliedUntil(client)
  if (latest === 0) return 'none'
  if (latest === KNOWN) return 'current'
  return latest < KNOWN ? 'older' : 'newer'
}

/** Time of the newest migration that a file has had, in milliseconds since 1970; 0 when it had none. */
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

/** As `fileAge`, of a file that is not open here. @throws when it cannot be read */
export function ageOf(file: string): FileAge {
  const client = new Client(file, { readonly: true })
  try {
    return fileAge(client)
  } finally {
    client.close()
  }
}
