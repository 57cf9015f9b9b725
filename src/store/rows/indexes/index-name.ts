import type { Order } from '../../../query/query.ts'
import type { Path } from '../../../tree/path.ts'

/** Name of the index over integer keys as text. It returns integer keys in lexicographic order. */
export const KEY_INDEX = JSON.stringify('$key')

/** Name of an index in its definition: a JSON array of child paths, which leaves room for an index over several paths. */
export function indexName(path: Path): string {
  return JSON.stringify([path])
}

/** Name of the index that an order needs. */
export function indexNameOf(order: Order): string {
  return order.kind === 'key' ? KEY_INDEX : indexName(order.path)
}

/** Child path of the index with this name; `undefined` for the index over keys. */
export function indexedPath(name: string): Path | undefined {
  const parsed = JSON.parse(name) as readonly Path[] | string
  return typeof parsed === 'string' ? undefined : parsed[0]
}

/** Identifies an index. */
export interface IndexName {
  readonly listId: number
  readonly name: string
}

/** A text that identifies an index. */
export function indexOf({ listId, name }: IndexName): string {
  return `${listId} ${name}`
}
