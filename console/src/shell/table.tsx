import type { ComponentChildren } from 'preact'

/** One column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** Aligned to the right, with digits of equal width. */
  readonly isNumber?: boolean
}

interface TableProps<Row> {
  /** Name of the table for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
  /** Shown when there is no row. */
  readonly empty: string
}

/** A plain table of at most some hundred rows. */
export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <p class="empty">{empty}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a wide table sideways.
    <section class="scroll" aria-label={`Table: ${caption}`} tabIndex={0}>
      <table aria-label={caption}>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber === true ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, isNumber }) => (
                <td key={title} class={isNumber === true ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
