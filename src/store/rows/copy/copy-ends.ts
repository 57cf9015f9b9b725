import type { CopiedRow, CopiedTable, TreeNumbers } from './tables.ts'

/** What is known of a tree that was moved elsewhere. */
export interface MovedMark {
  /** Where it went, in words for the operator, without a password. */
  readonly to: string
  /** Random text of the copy that moved it. */
  readonly copy: string
}

/** The tree of an application as it is read by a copy: all of one commit. */
export interface CopySource {
  readonly epoch: string
  readonly numbers: TreeNumbers
  /** Pages of rows in the order of the key. Rows that no read can see are left out. */
  pages(table: CopiedTable): AsyncIterable<readonly CopiedRow[]>
  /** Rows of a table, with those that no read can see; for progress. */
  count(table: CopiedTable): Promise<number>
  /**
   * Marks the tree as moved, durably: no process opens it any more, and those that have it open write no more.
   * @throws `ChangedMeanwhile` when it was written since it was read: it is not marked then
   */
  markMoved(mark: MovedMark): Promise<void>
}

/** The tree was written while it was copied. */
export class ChangedMeanwhile extends Error {
  constructor() {
    super('it was written while it was copied: stop what writes to it, and run the command again')
  }
}

/** What there is in a target under the name of an application. */
export type TargetState =
  | { readonly kind: 'free' }
  /** A tree, or a copy that is not complete or not activated. */
  | { readonly kind: 'arriving' | 'there'; readonly copy: string | undefined }
  /** What a copy left when it moved the tree. */
  | ({ readonly kind: 'moved' } & MovedMark)

/**
 * Where a copy writes to. Until it is activated, no process opens the tree.
 */
export interface CopyTarget {
  readonly state: TargetState
  /** Removes what an incomplete copy or a move has left, and begins a new copy. @param copy random text of it */
  begin(copy: string, epoch: string, numbers: TreeNumbers): Promise<void>
  /** Resolves when there is room for the next page. */
  write(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>
  /** Makes everything durable. */
  complete(): Promise<void>
  /** Number of rows of a table, counted as a source counts them. */
  count(table: CopiedTable): Promise<number>
  /** What is wrong with the rows; the first few. */
  problems(): Promise<readonly string[]>
  /** Opens the complete tree to processes. Durable when it resolves. */
  activate(): Promise<void>
  /** Removes an incomplete copy. */
  discard(): Promise<void>
}
