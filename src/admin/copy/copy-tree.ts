import { MESSAGE_TABLES } from '../../sms/copied-tables.ts'
import { ChangedMeanwhile, type CopySource, type CopyTarget } from '../../store/rows/copy/copy-ends.ts'
import { type CopiedTable, LOG, TREE_TABLES } from '../../store/rows/copy/tables.ts'

/** All tables that are copied. */
export const COPIED_TABLES: readonly CopiedTable[] = [...TREE_TABLES, ...MESSAGE_TABLES]

/** Points of a copy at which it may be interrupted. */
export type CopyStep = 'begun' | 'copied' | 'marked' | 'activated'

export interface TreeCopy {
  /** Where it goes, for the mark on its source; `undefined` keeps the source, and gives the copy an epoch of its own. */
  readonly movedTo: string | undefined
  /** Copies what belongs to the application beside its tree, before the source is marked. */
  copyKeys(): Promise<void>
  /** Called after each step, and awaited. */
  onStep?(step: CopyStep): void | Promise<void>
  /** @param rows copied rows @param total all rows, roughly */
  onRows?(rows: number, total: number): void
}

/** What was copied. */
export interface CopiedTree {
  readonly epoch: string
  /** Number of the last commit. */
  readonly seq: number
  /** Copied rows by table; of the log its commits. */
  readonly rows: Readonly<Record<string, number>>
}

/**
 * Copies a tree. Until the source is marked, an error removes what was copied, and the source stays as it is. Then the copy only
 * has to be activated: a later run does it.
 */
export async function copyTree(source: CopySource, target: CopyTarget, options: TreeCopy): Promise<CopiedTree> {
  const { movedTo, onStep } = options
  const copy = crypto.randomUUID()
  const epoch = movedTo === undefined ? crypto.randomUUID() : source.epoch
  let rows: Readonly<Record<string, number>>
  try {
    await target.begin(copy, epoch, source.numbers)
    await onStep?.('begun')
    rows = await copyRows(source, target, options)
    await target.complete()
    await examine(target, rows)
    await options.copyKeys()
    await onStep?.('copied')
  } catch (error) {
    throw await undone(target, error)
  }
  if (movedTo !== undefined) {
    try {
      await source.markMoved({ to: movedTo, copy })
    } catch (error) {
      // Of any other error it is not known whether the source is marked: the next run finds out.
      throw error instanceof ChangedMeanwhile ? await undone(target, error) : error
    }
    await onStep?.('marked')
  }
  await target.activate()
  await onStep?.('activated')
  return { epoch, seq: source.numbers.seq, rows }
}

/** @returns the error, after the target was left as it was */
async function undone(target: CopyTarget, error: unknown): Promise<unknown> {
  // What cannot be removed now is removed by the next run.
  await target.discard().catch(() => {})
  return error
}

async function copyRows(
  source: CopySource,
  target: CopyTarget,
  { onRows }: Pick<TreeCopy, 'onRows'>,
): Promise<Readonly<Record<string, number>>> {
  let total = 0
  if (onRows !== undefined) for (const table of COPIED_TABLES) total += await source.count(table)
  const counts: Record<string, number> = {}
  let done = 0
  for (const table of COPIED_TABLES) {
    let copied = 0
    for await (const page of source.pages(table)) {
      await target.write(table, page)
      // Rows of the log hold different numbers of commits in each engine.
      for (const [last, first] of table === LOG ? page : []) copied += Number(last) - Number(first) + 1
      if (table !== LOG) copied += page.length
      done += page.length
      onRows?.(done, total)
    }
    counts[table.name] = copied
  }
  return counts
}

/** @throws Error when the target has not what was read, or its rows contradict each other */
async function examine(target: CopyTarget, rows: Readonly<Record<string, number>>): Promise<void> {
  for (const table of COPIED_TABLES) {
    const [read, written] = [rows[table.name] ?? 0, await target.count(table)]
    if (read !== written)
      throw new Error(`the copy differs: ${read} rows of ${table.name} were read, it has ${written}`)
  }
  const problems = await target.problems()
  if (problems.length > 0) throw new Error(`the copy is not right: ${problems.join('; ')}`)
}
