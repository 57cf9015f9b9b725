import type { CopiedTable } from '../../rows/copy/tables.ts'

/** How a table of a tree is read and written. */
export interface StoredTable {
  /** Columns as they are selected, of the table under the name `t`. */
  readonly selected: string
  /** Approximate length of a row, in bytes. */
  readonly length: string
  /** Columns of the order, with the types of their parameters. */
  readonly key: readonly (readonly [column: string, type: string])[]
  /** Number of key columns and columns as they are inserted. */
  readonly inserted: string
  /** Types of the array parameters. */
  readonly types: readonly string[]
}

/** What a copy leaves out, with its value. */
const FILLED: Readonly<Record<string, readonly [columns: string, values: string]>> = {
  index_definition: [', built_to, has_cut, entries', ", '', false, 0"],
  session: [', process', ", ''"],
}
/** Columns that are neither numbers nor texts. */
const BOOLEANS = new Set(['covering'])
const ROW_LENGTH = 48

export function storedTable({ name, columns, keyLength }: CopiedTable): StoredTable {
  const all = Object.entries(columns)
  const names = all.map(([column]) => column)
  const typeOf = (kind: unknown) => (kind === 'number' ? 'bigint' : 'text')
  const selected = all.map(([column, kind]) => {
    if (BOOLEANS.has(column)) return `t.${column}::int AS ${column}`
    return kind === 'number' ? `t.${column}::float8 AS ${column}` : `t.${column}`
  })
  const lengths = all
    .filter(([, kind]) => kind !== 'number')
    .map(([column]) => `coalesce(octet_length(t.${column}), 0)`)
  const [more, values] = FILLED[name] ?? ['', '']
  const copied = names.map((column) => (BOOLEANS.has(column) ? `s.${column} <> 0` : `s.${column}`))
  return {
    selected: selected.join(', '),
    length: [ROW_LENGTH, ...lengths].join(' + '),
    key: all.slice(0, keyLength).map(([column, kind]) => [column, typeOf(kind)]),
    inserted: `INSERT INTO ${name} (tree, ${names.join(', ')}${more}) SELECT $1::int, ${copied.join(', ')}${values}`,
    types: all.map(([, kind]) => typeOf(kind)),
  }
}
