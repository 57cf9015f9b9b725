import type { Path } from '../../../tree/path.ts'
import { indexedPath } from '../../rows/indexes/index-name.ts'

/** An index over the children of a list. It is not changed in place. */
export interface IndexDefinition {
  readonly id: number
  /** Interior node whose children it sorts. */
  readonly listId: number
  readonly name: string
  /** Child path below each child; `undefined` for the index over integer keys. */
  readonly path: Path | undefined
  /** `null` when it is complete, else the last key whose child has its entry; empty at first. */
  readonly builtTo: string | null
  /** Whether an entry may hold only the beginning of its text. */
  readonly hasCut: boolean
  /** Entries that building it has written. */
  readonly entries: number
  /** Whether entries hold the short texts of children. If not, entries of an index that was covering have old texts. */
  readonly covering: boolean
  /** Time of a query that used it, in milliseconds since 1970; not always the last one. */
  readonly usedAt: number
}

/** A row of `DEFINITION_COLUMNS`. */
export interface DefinitionRow {
  readonly id: number
  readonly list: number
  readonly name: string
  readonly builtTo: string | null
  readonly hasCut: boolean
  readonly entries: number
  readonly covering: boolean
  readonly usedAt: number
}

/** Columns of a definition, of the table `index_definition` under the name `d`. */
export const DEFINITION_COLUMNS =
  'd.id::float8 AS id, d.list_id::float8 AS list, d.path AS name, d.built_to AS "builtTo", d.has_cut AS "hasCut", ' +
  'd.entries::float8 AS entries, d.covering, d.used_at::float8 AS "usedAt"'

/**
 * The definitions of lists. Parameters: number of the tree, ids of the lists as `bigint[]`. A list that has none returns no
 * row.
 */
export const DEFINITIONS_OF_LISTS =
  `SELECT ${DEFINITION_COLUMNS} FROM unnest($2::bigint[]) AS l(id) ` +
  'JOIN index_definition d ON d.tree = $1::int AND d.list_id = l.id ORDER BY d.id'

export function definitionOf({ list, name, ...row }: DefinitionRow): IndexDefinition {
  return { ...row, listId: list, name, path: indexedPath(name) }
}

/** Whether writes to the child with this key keep up its entry. @param key encoded by `sortKey` */
export function isKeptUp({ builtTo }: Pick<IndexDefinition, 'builtTo'>, key: string): boolean {
  return builtTo === null || key <= builtTo
}
