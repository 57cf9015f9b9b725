import { type Family, makeQuery, type QuerySpec } from '../../../src/query/query.ts'
import type { TreeStore } from '../../../src/store/store.ts'
import type { JsonText } from '../../../src/tree/json/print.ts'
import { parsePath } from '../../../src/tree/path.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { unlimited } from '../../support/store.ts'

/** What GET answers to a query, as text. */
export async function query(
  store: TreeStore,
  path: string,
  spec: QuerySpec,
  family: Family = 'firebase',
): Promise<JsonText | undefined> {
  return (await store.query(parsePath(path), makeQuery(spec, family), unlimited, TRUSTED))?.plain
}

/** Number of children that a query chooses. */
export async function countChosen(
  store: TreeStore,
  path: string,
  spec: QuerySpec,
  family: Family = 'firebase',
): Promise<number> {
  return store.count(parsePath(path), makeQuery(spec, family), unlimited, TRUSTED)
}

/** The indexes there are, as lines: list, child path, whether it is ready. */
export async function indexLines(store: TreeStore): Promise<string[]> {
  return (await store.indexes())
    .map(({ list, path, ready }) => `/${list.join('/')} by ${path?.join('/') ?? '$key'}${ready ? '' : ', not ready'}`)
    .sort()
}
