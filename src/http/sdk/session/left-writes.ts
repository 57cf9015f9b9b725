import type { Auth, Caller } from '../../../auth/caller.ts'
import type { Database } from '../../../database/database.ts'
import { DholeError } from '../../../error.ts'
import type { DisconnectWrite } from './disconnect-writes.ts'

/** What a session leaves to be written when it has ended. */
interface LeftWrites {
  readonly session: string
  readonly caller: Caller
  readonly writes: readonly DisconnectWrite[]
}

/** The same as it is stored. */
interface StoredWrites {
  readonly kind: Caller['kind']
  readonly auth: Auth | null
  readonly writes: readonly DisconnectWrite[]
}

/** The text to store; `undefined` if nothing is left. */
export function textOf({ caller: { kind, auth }, writes }: Omit<LeftWrites, 'session'>): string | undefined {
  return writes.length === 0 ? undefined : JSON.stringify({ kind, auth, writes } satisfies StoredWrites)
}

/**
 * Writes what a session has left, each value once: what is still to be written is stored together with each write. What
 * rules refuse is dropped.
 */
export async function writeLeft(database: Database, { session, caller, writes }: LeftWrites): Promise<void> {
  if (writes.length === 0) return
  for (const [index, { path, json }] of writes.entries()) {
    const sessionText = { session, text: textOf({ caller, writes: writes.slice(index + 1) }) }
    try {
      await database.put(path, json, { as: caller, sessionText })
    } catch (error) {
      if (!(error instanceof DholeError) || error.code === 'internal' || error.code === 'unavailable') throw error
    }
  }
  // A last one that was refused has stored nothing.
  await database.sessions.keep({ session, text: undefined })
}

/** Writes what the sessions of a killed server have left. Must run before the tree is used. */
export async function writeAllLeft(database: Database): Promise<void> {
  for (const { session, text } of database.sessions.left) {
    if (text === undefined) continue
    const { kind, auth, writes } = JSON.parse(text) as StoredWrites
    await writeLeft(database, { session, caller: { kind, auth }, writes })
  }
}
