import { ConnectionLost, StatementTimeout } from '../../../src/store/postgres/connection/database-errors.ts'
import type { Parameter, Statements } from '../../../src/store/postgres/connection/lane.ts'
import { Freshness } from '../../../src/store/postgres/follow/freshness.ts'
import type { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'

import { withMembers } from './with-members.ts'

/** What happens to the next statement, or transaction, that commits a batch. */
export type Fault =
  /** The connection is lost before it is sent, or after it has taken effect. */
  | 'lost before'
  | 'lost after'
  /** The connection is lost, and the statement takes effect only after it was looked for. */
  | 'lost, then late'
  | 'timeout'
  /** Another process commits a batch of the same number before. */
  | 'foreign'
  /** The server gives up, and would succeed the next time. */
  | 'deadlock'
  /** Does something before a statement runs, after it, or in its place; before a transaction. */
  | ((run: () => Promise<readonly object[]>) => Promise<readonly object[]>)

/** A database whose commits of batches meet planned faults. */
export function faulty(database: PostgresDatabase, faults: Fault[]): PostgresDatabase {
  const { lanes } = database
  let late: (() => Promise<unknown>) | undefined
  const query = async <R extends object>(
    text: string,
    parameters: readonly Parameter[] = [],
  ): Promise<readonly R[]> => {
    if (!text.startsWith('WITH l AS')) {
      const answer = await lanes.query<R>(text, parameters)
      const due = text.startsWith('SELECT stamp') ? late : undefined
      if (due !== undefined) late = undefined
      // Another batch may have taken its place.
      await due?.().catch(() => {})
      return answer
    }
    const run = () => lanes.query<R>(text, parameters)
    const fault = faults.shift()
    if (typeof fault === 'function') return (await fault(run)) as readonly R[]
    switch (fault) {
      case 'lost before':
        throw new ConnectionLost('planned')
      case 'lost after':
        await run()
        throw new ConnectionLost('planned')
      case 'lost, then late':
        late = run
        throw new ConnectionLost('planned')
      case 'timeout':
        throw new StatementTimeout(1)
      case 'deadlock':
        throw Object.assign(new Error('planned'), { errno: '40P01' })
      case 'foreign':
        await lanes.query(FOREIGN, [parameters[0] ?? 0, parameters[1] ?? 0])
        return run()
      default:
        return run()
    }
  }
  const transaction = async <T>(work: (statements: Statements) => Promise<T>): Promise<T> => {
    let fault: Fault | undefined
    const result = await lanes.transaction(async (statements) => {
      const done = await work({
        query: async (text, parameters = []) => {
          if (text.startsWith('INSERT INTO log')) {
            fault = faults.shift()
            if (typeof fault === 'function') await fault(async () => [])
            if (fault === 'foreign') await lanes.query(FOREIGN, [parameters[0] ?? 0, parameters[1] ?? 0])
          }
          return await statements.query(text, parameters)
        },
      })
      if (fault === 'lost, then late') late = () => lanes.transaction(work)
      if (fault === 'lost before' || fault === 'lost, then late') throw new ConnectionLost('planned')
      if (fault === 'timeout') throw new StatementTimeout(1)
      if (fault === 'deadlock') throw Object.assign(new Error('planned'), { errno: '40P01' })
      return done
    })
    if (fault === 'lost after') throw new ConnectionLost('planned')
    return result
  }
  const wrapped = withMembers(lanes, { query, transaction })
  return withMembers(database, { lanes: wrapped, freshness: new Freshness(wrapped) })
}

/** One commit of another process: `/foreign` becomes `true`. It leaves out the rows of the tree. */
const FOREIGN =
  'INSERT INTO log (tree, batch, first_seq, last_seq, at, push_time, next_id, stamp, format, flags, heads, data) ' +
  'SELECT l.tree, l.batch + 1, l.last_seq + 1, l.last_seq + 1, l.at, l.push_time, l.next_id, $$foreign$$, 1, 0, ' +
  `'[["put","/foreign",4]]', 'true' FROM log l WHERE l.tree = $1::int AND l.batch = $2::bigint - 1`
