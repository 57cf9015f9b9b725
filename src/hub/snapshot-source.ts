import type { Query } from '../query/query.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { ReadText } from '../tree/json/node-text.ts'
import type { Path } from '../tree/path.ts'
import type { Authorization } from '../tree/read-program.ts'

/** A value as of one commit. */
export interface Snapshot<T> {
  readonly seq: number
  readonly value: T
}

/** Reads what streams begin with. */
export interface SnapshotSource {
  /**
   * Reads a node, or what a query selects of it.
   * @throws `read-too-big`, `unavailable`, and what `authorize` throws
   */
  read(path: Path, query: Query | undefined, authorize: Authorization): Awaitable<Snapshot<ReadText | undefined>>
}
