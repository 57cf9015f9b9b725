import type { Parameter, Statements } from './connection/lane.ts'

/** Bits of what a batch changed beside nodes. */
export const LogFlag = {
  settings: 1,
  indexes: 2,
  /** The row of the application: its keys, or that it exists. */
  application: 4,
  /** The tree was moved elsewhere: only batches with this flag follow, which change the row of the application. */
  moved: 8,
  /** Sessions belong to another process than before. */
  sessions: 16,
} as const

/** What a process knows of the last batch of a tree that it has applied. */
export interface AppliedBatch {
  /** Number of the batch; 0 for a tree without one. */
  readonly batch: number
  readonly stamp: string
  /** Number of the last commit. */
  readonly seq: number
  /** Time of the batch, in milliseconds since 1970. */
  readonly at: number
  /** Floor of the time in generated keys. */
  readonly pushTime: number
  /** Next id of interior nodes and indexes. */
  readonly nextId: number
}

/** The open transaction of a batch that is several statements. The tree does not change before it ends. */
export interface BatchTransaction {
  readonly statements: Statements
  /** Number of the tree: first column of every table. */
  readonly tree: number
  /** Time of the batch, in milliseconds since 1970. */
  readonly now: number
  /** Takes ids of interior nodes, indexes or batches of text messages. @returns the first */
  takeIds(count: number): number
  /** Records in the log row what the batch changes. @param flag one of `LogFlag` */
  mark(flag: number): void
}

/** Work in the transaction of a batch. It may run more than once; only its last run counts. */
export type BatchWork<T> = (transaction: BatchTransaction) => Promise<T>

/** Runs work as a batch of a tree, in order with all other writes. Resolves when it is durable. @throws `unavailable` */
export type RunBatch = <T>(work: BatchWork<T>) => Promise<T>

/** A part of the statement that commits a batch: `name AS (…)`, whatever it does is bound to the row of the log. */
export interface CommitPart {
  /** Name of the common table expression, of small letters, digits and `_`. */
  readonly name: string
  /** @returns an INSERT, UPDATE or DELETE. Its text depends on `name` alone, so that the statement is prepared once. */
  sql(context: PartContext): string
}

/** Where a part of a commit is printed. */
export interface PartContext {
  /** Number of the tree, as a parameter: `$1::int`. */
  readonly tree: string
  /** Condition that makes the part do nothing when the row of the log was not inserted: `EXISTS (SELECT FROM l)`. */
  readonly guard: string
  /** Adds a parameter. @param type such as `bigint[]` @returns it with its type: `$7::bigint[]` */
  add(value: Parameter, type: string): string
}
