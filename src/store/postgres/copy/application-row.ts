import type { Statements } from '../connection/lane.ts'

/** The row of an application. */
export interface ApplicationRow {
  readonly tree: number
  readonly epoch: string
  /** Where its tree was moved. */
  readonly movedTo: string | null
  /** Random text of the copy that has made or moved its tree. */
  readonly copy: string | null
  /** Whether that copy is not complete. */
  readonly isArriving: boolean
  /** Whether the application was removed, while its tree is kept. */
  readonly isRemoved: boolean
}

export async function applicationRow(statements: Statements, application: string): Promise<ApplicationRow | undefined> {
  const [row] = await statements.query<ApplicationRow>(
    'SELECT tree, epoch, moved_to AS "movedTo", copy, is_arriving AS "isArriving", removed_at IS NOT NULL AS "isRemoved" ' +
      'FROM application WHERE id = $1::text',
    [application],
  )
  return row
}

/** Names of the applications, sorted, with where those went that were moved. Those whose copy is not complete are left out. */
export function applicationsIn(
  statements: Statements,
): Promise<readonly { readonly id: string; readonly movedTo: string | null }[]> {
  return statements.query(
    'SELECT id, moved_to AS "movedTo" FROM application WHERE NOT is_arriving AND removed_at IS NULL ORDER BY id',
  )
}
