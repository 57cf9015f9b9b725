import type { Caller } from '../../../auth/caller.ts'
import type { Database } from '../../../database/database.ts'
import { ValueGone } from '../../../database/writes/write-request.ts'
import type { Awaitable } from '../../../scheduling/awaitable.ts'
import { TaskLimit } from '../../../scheduling/task-limit.ts'
import { writeValues } from './write-values.ts'

/** Sessions whose values are read and written at a time. */
const AT_ONCE = 8
/** Ids of sessions. Another text is not looked for. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Writes what is stored of a session of this process, each value once. @throws `unavailable`, `internal` */
export async function writeSession(database: Database, session: string): Promise<void> {
  const stored = await database.sessions.stored.read(session)
  if (stored === undefined) return
  const caller = JSON.parse(stored.caller) as Caller
  try {
    await writeValues(database, { session, caller, values: stored.values })
  } catch (error) {
    // Another process writes the rest.
    if (!(error instanceof ValueGone)) throw error
  }
}

/**
 * Writes what the sessions of processes that have ended have left.
 * @param isOpening no client uses the tree yet
 * @throws while opening, what a value cannot be written for now; else it is tried again later
 */
export function writeLeft(database: Database, isOpening: boolean): Awaitable<void> {
  const left = database.sessions.stored.takeLeft(isOpening)
  return left instanceof Promise || left.length > 0 ? writeAllLeft(database, left, isOpening) : undefined
}

async function writeAllLeft(
  database: Database,
  first: Awaitable<readonly string[]>,
  isOpening: boolean,
): Promise<void> {
  const limit = new TaskLimit(AT_ONCE)
  for (let left = await first; left.length > 0; left = await database.sessions.stored.takeLeft(isOpening)) {
    await Promise.all(left.map((session) => limit.run(() => writeTaken(database, session, isOpening))))
  }
}

/** Takes over a session that lives on another process, or has ended on it, and writes what it has left. @throws `unavailable` */
export async function endElsewhere(database: Database, session: string): Promise<void> {
  if (ID.test(session) && (await database.sessions.stored.take(session))) await writeTaken(database, session, false)
}

async function writeTaken(database: Database, session: string, isOpening: boolean): Promise<void> {
  const { sessions } = database
  sessions.events.onTaken?.()
  const write = () => writeSession(database, session)
  await write().catch((error) => {
    if (isOpening) throw error
    sessions.later(write)
  })
}
