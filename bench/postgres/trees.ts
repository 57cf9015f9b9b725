/** The same tree beside the same list of places on both engines. */
import type { Part } from '../harness/part.ts'
import type { Workspace } from '../harness/workspace.ts'
import { size } from '../report/numbers.ts'
import { loadMixed } from '../stock/mixed.ts'

/** Of the database with a tree of that size. */
export const stockOf = (count: number) => `mixed-${size(count)}`

/** Makes the trees on PostgreSQL. */
export async function buildOnPostgres(workspace: Workspace, sizes: readonly number[]): Promise<void> {
  const postgres = await workspace.postgres()
  for (const count of sizes) await postgres.build(stockOf(count), { app: (database) => loadMixed(database, count) })
}

/** Makes the tree that both are asked about. */
export const prepareBoth: NonNullable<Part['prepare']> = async (workspace, { mixedSize }) => {
  await workspace.build('mixed', [mixedSize])
  await buildOnPostgres(workspace, [mixedSize])
}

/** Runs a measurement on a copy of the tree in files and one on PostgreSQL. */
export async function withBoth<T>(
  workspace: Workspace,
  count: number,
  measure: (dataDir: string, url: string) => Promise<T>,
): Promise<T> {
  const postgres = await workspace.postgres()
  return workspace.withCopy(workspace.mixed(count), (dataDir) =>
    postgres.withCopies([stockOf(count)], ([url = '']) => measure(dataDir, url)),
  )
}

/** Every other time in the opposite order. */
export function alternating<T>(): (items: readonly T[]) => readonly T[] {
  let isReversed = true
  return (items) => {
    isReversed = !isReversed
    return isReversed ? items.toReversed() : items
  }
}
