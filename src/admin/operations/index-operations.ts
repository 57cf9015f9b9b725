import { Type } from '@sinclair/typebox'
import { DholeError } from '../../error.ts'
import { formatPath, type Path, toPath } from '../../tree/path.ts'
import { onApplication } from '../operation.ts'
import { id, nothing } from './nothing.ts'
import { type ListedIndex, listedIndex } from './storage-schemas.ts'

/** Maximum indexes of one answer. */
const MOST_LISTED = 1000
const OF_KEYS = '.key'
const OF_VALUES = '.value'

/** Operations on the indexes of an application. */
export const INDEX_OPERATIONS = {
  indexes: onApplication(
    {
      access: 'application',
      summary: 'The indexes of the tree, declared ones and those made for queries, at most 1000.',
      input: Type.Object({ id }),
      result: Type.Unsafe<readonly ListedIndex[]>(Type.Array(listedIndex)),
    },
    async ({ database }) => {
      const stored = await database.administration.indexes.list(MOST_LISTED)
      return stored.map(
        ({ list, path, covering, ready, isDeclared, entries, usedAt }): ListedIndex => ({
          path: formatPath(list),
          child: childOf(path),
          covering,
          state: ready ? 'ready' : 'building',
          declared: isDeclared,
          entries,
          lastUsed: usedAt,
        }),
      )
    },
  ),
  'index-drop': onApplication(
    {
      access: 'application',
      summary: 'Drops an index that is not declared. A query that needs it builds it again.',
      input: Type.Object({ id, path: Type.String(), child: Type.String() }),
      changes: true,
      result: nothing,
    },
    async ({ database }, { path, child }) => {
      const outcome = await database.administration.indexes.drop(toPath(path), pathOf(child))
      if (outcome === 'unknown') throw new DholeError('admin-unknown', `there is no index over ${child} at ${path}`)
      if (outcome === 'declared') {
        throw new DholeError('admin-state', `rules or settings declare the index over ${child} at ${path}: it stays`)
      }
    },
  ),
} as const

function childOf(path: Path | undefined): string {
  if (path === undefined) return OF_KEYS
  return path.length === 0 ? OF_VALUES : path.join('/')
}

/** @returns `undefined` for the index over integer keys as text */
function pathOf(child: string): Path | undefined {
  if (child === OF_KEYS) return undefined
  return child === OF_VALUES ? [] : child.split('/')
}
