import type { Parameter, Statements } from '../../../src/store/postgres/connection/lane.ts'
import { Freshness } from '../../../src/store/postgres/follow/freshness.ts'
import type { PostgresDatabase } from '../../../src/store/postgres/postgres-database.ts'
import * as treeStatements from '../../../src/store/postgres/reads/statements/tree-statements.ts'
import { commitsBatch } from './batch-statements.ts'
import { withMembers } from './with-members.ts'

const { WALK, WALK_LIST, WALK_PATH, WALK_PATH_LIST } = treeStatements
const WALKS = new Set([WALK, WALK_LIST, WALK_PATH, WALK_PATH_LIST])

/** Gets each statement of a read with its answer. */
type Seen = (text: string, parameters: readonly Parameter[], rows: readonly object[]) => void

/** What is done around the statements of a database. */
export interface Watch {
  readonly onRead?: Seen
  /** Called when a batch is committed, before this process learns of it. */
  readonly onCommitted?: () => Promise<void>
}

/** A database whose statements are watched. */
export function watchedDatabase(database: PostgresDatabase, { onRead, onCommitted }: Watch): PostgresDatabase {
  const { lanes } = database
  const query = async <R extends object>(text: string, parameters: readonly Parameter[] = []) => {
    const rows = await lanes.query<R>(text, parameters)
    if (commitsBatch(text)) await onCommitted?.()
    if (WALKS.has(text)) onRead?.(text, parameters, rows)
    return rows
  }
  const snapshot = <T>(work: (statements: Statements) => Promise<T>) =>
    lanes.snapshot((statements) =>
      work({
        query: async <R extends object>(text: string, parameters: readonly Parameter[] = []) => {
          const rows = await statements.query<R>(text, parameters)
          onRead?.(text, parameters, rows)
          return rows
        },
      }),
    )
  const watched = withMembers(lanes, { query, short: query, snapshot })
  return withMembers(database, { lanes: watched, freshness: new Freshness(watched) })
}
