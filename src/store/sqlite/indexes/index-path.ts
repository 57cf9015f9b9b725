import type { Order } from '../../../query/query.ts'
import type { Path } from '../../../tree/path.ts'

/** What the index over integer keys as text is called, in which they come in lexicographic order. */
export const KEY_INDEX = JSON.stringify('$key')

/**
 * How an index is called in its definition: a list of child paths as JSON, so that one over several of them can be
 * told from all others one day.
 */
export function indexName(path: Path): string {
  return JSON.stringify([path])
}

/** The name of the index that an order needs. */
export function indexNameOf(order: Order): string {
  return order.kind === 'key' ? KEY_INDEX : indexName(order.path)
}

/** The child path of an index; `undefined` for the one over keys. */
export function indexedPath(name: string): Path | undefined {
  const parsed = JSON.parse(name) as readonly Path[] | string
  return typeof parsed === 'string' ? undefined : parsed[0]
}
