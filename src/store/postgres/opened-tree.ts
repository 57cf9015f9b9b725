import type { AppliedTree } from './applied-tree.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** What is known of a tree when it is opened. */
export interface OpenedTree {
  readonly database: PostgresDatabase
  readonly application: string
  readonly tree: AppliedTree
  /** Time of the newest idempotency record, in milliseconds since 1970. */
  readonly lastRecord: number
}
