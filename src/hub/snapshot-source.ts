import type { Query } from '../query/query.ts'
import type { Awaitable } from '../scheduling/awaitable.ts'
import type { ReadText } from '../tree/json/node-text.ts'
import type { Path } from '../tree/path.ts'
import type { AuthorizeRead } from '../tree/read-program.ts'

/** What stands somewhere as of one commit. */
export interface Seen<T> {
  readonly seq: number
  readonly value: T
}

/** Where the hub reads what streams begin with. */
export interface Source {
  /**
   * The node, or what a query chooses of it.
   * @throws `read-too-big`, `unavailable`, and what `authorize` throws
   */
  read(path: Path, query: Query | undefined, authorize?: AuthorizeRead): Awaitable<Seen<ReadText | undefined>>
}
