import type { Caller } from '../../../auth/caller.ts'
import type { Database } from '../../../database/database.ts'
import { WriteOrder } from '../../../database/writes/order/write-order.ts'
import { DholeError } from '../../../error.ts'
import type { Path } from '../../../tree/path.ts'

/** Length of a value that shares a commit with others, in UTF-16 code units, and how many are under way at a time. */
const LONGEST_SHARED = 16 * 1024
const MOST_SHARED = 64

/** What a session has left to be written. */
interface LeftValues {
  readonly session: string
  readonly caller: Caller
  /** In their order. */
  readonly values: readonly StoredValue[]
}

interface StoredValue {
  readonly position: number
  /** JSON text of keys. */
  readonly path: string
  /** JSON text. */
  readonly json: string
}

/**
 * Writes the values of a session, each in a commit that removes it from what is stored, and the session with the last one. What
 * rules refuse is dropped.
 * @throws ValueGone when another process writes them; `unavailable`, `internal`: the rest is left
 */
export async function writeValues(database: Database, left: LeftValues): Promise<void> {
  const { session, values } = left
  const last = values.at(-1)
  await writeInOrder(database, left, values.slice(0, -1))
  const isWritten = last !== undefined && (await writeValue(database, left, last, true))
  if (!isWritten) await database.sessions.store({ session, isOver: true }, false)
}

/** Short values that follow each other share commits. */
async function writeInOrder(database: Database, left: LeftValues, values: readonly StoredValue[]): Promise<void> {
  const order = new WriteOrder()
  let shared: Promise<unknown>[] = []
  const settle = async () => {
    const results = await Promise.allSettled(shared)
    shared = []
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }
  for (const value of values) {
    const isLong = value.json.length > LONGEST_SHARED
    if (isLong || shared.length === MOST_SHARED) await settle()
    const writing = writeValue(database, left, value, false, isLong ? undefined : order)
    if (isLong) await writing
    else shared.push(writing)
  }
  await settle()
}

/** @returns whether it was written, and not refused */
async function writeValue(
  database: Database,
  { session, caller }: LeftValues,
  { position, path, json }: StoredValue,
  isLast: boolean,
  order?: WriteOrder,
): Promise<boolean> {
  const { events } = database.sessions
  try {
    const options = { as: caller, order, leftValue: { session, position, isLast } }
    await database.put(JSON.parse(path) as Path, JSON.parse(json), options)
    events.onLeftValue?.('written')
    return true
  } catch (error) {
    if (!(error instanceof DholeError) || error.code === 'internal' || error.code === 'unavailable') throw error
    events.onLeftValue?.('dropped')
    return false
  }
}
