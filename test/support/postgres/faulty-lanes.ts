import { ConnectionLost, StatementTimeout } from '../../../src/store/postgres/connection/database-errors.ts'
import type { Lane, Parameter, Statements } from '../../../src/store/postgres/connection/lane.ts'
import type { Lanes } from '../../../src/store/postgres/connection/lanes.ts'
import { Freshness } from '../../../src/store/postgres/follow/freshness.ts'
import type { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import { commitsBatch } from './batch-statements.ts'
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
    if (!commitsBatch(text)) {
      const answer = await lanes.query<R>(text, parameters)
      const due = text.startsWith('SELECT l.batch') && text.includes('AS stamp') ? late : undefined
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
  const take: Lanes['take'] = async (use) => {
    const { lane, release } = await lanes.take(use)
    const turn = faultyTurn(lane, lanes, faults, (again) => {
      late = again
    })
    return { lane: turn, release }
  }
  const wrapped = withMembers(lanes, { query, transaction, take })
  return withMembers(database, { lanes: wrapped, freshness: new Freshness(wrapped) })
}

/** A connection whose transactions meet the faults when they commit a batch. */
function faultyTurn(lane: Lane, lanes: Lanes, faults: Fault[], setLate: (late: () => Promise<unknown>) => void): Lane {
  const written: (readonly [text: string, parameters: readonly Parameter[]])[] = []
  let fault: Fault | undefined
  const query = async (text: string, parameters: readonly Parameter[] = []) => {
    const isFirst = commitsBatch(text) || text.startsWith('INSERT INTO log')
    if (!isFirst && written.length === 0) return await lane.query(text, parameters)
    written.push([text, parameters])
    if (!isFirst) return await lane.query(text, parameters)
    fault = faults.shift()
    if (fault === 'foreign') await lanes.query(FOREIGN, [parameters[0] ?? 0, parameters[1] ?? 0])
    const run = () => lane.query(text, parameters)
    return typeof fault === 'function' ? await fault(run) : await run()
  }
  const commit = async () => {
    // The statement before it may still do something else.
    await new Promise(setImmediate)
    const isWhole = fault === undefined || fault === 'foreign' || fault === 'lost after' || typeof fault === 'function'
    await (isWhole ? lane.commit() : lane.rollback())
    if (fault === 'lost, then late') {
      setLate(() =>
        lanes.transaction(async (statements) => {
          for (const [text, parameters] of written) await statements.query(text, parameters)
        }),
      )
    }
    if (fault === 'lost before' || fault === 'lost after' || fault === 'lost, then late')
      throw new ConnectionLost('planned')
    if (fault === 'timeout') throw new StatementTimeout(1)
    if (fault === 'deadlock') throw Object.assign(new Error('planned'), { errno: '40P01' })
  }
  return withMembers(lane, { query, commit })
}

/** One commit of another process: `/foreign` becomes `true`. It leaves out the rows of the tree. */
const FOREIGN =
  'INSERT INTO log (tree, batch, first_seq, last_seq, at, push_time, next_id, stamp, format, flags, heads, data) ' +
  'SELECT l.tree, l.batch + 1, l.last_seq + 1, l.last_seq + 1, l.at, l.push_time, l.next_id, $$foreign$$, 1, 0, ' +
  `'[["put","/foreign",4]]', 'true' FROM log l WHERE l.tree = $1::int AND l.batch = $2::bigint - 1`
