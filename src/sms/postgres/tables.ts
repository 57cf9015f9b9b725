type Item = string | number | boolean | null

/** Statements on one connection, in the order of the calls; a call need not wait for the one before. */
export interface Statements {
  /** Runs a statement. An array is a value for `$1::text[]` and others. */
  query<R extends object>(text: string, values?: readonly (Item | readonly Item[])[]): Promise<readonly R[]>
}

/** The open transaction of a batch of the tree: nothing else is committed to the tree before it ends. */
export interface Transaction {
  readonly statements: Statements
  /** Time of the batch, in milliseconds since 1970. It never decreases. */
  readonly now: number
  /** Takes ids of the tree. @returns the first */
  takeIds(count: number): number
}

/** Access to the tables of `schema.ts`. All methods but `isAlive` reject with `unavailable` when the database cannot be used. */
export interface Tables {
  /** Number of the tree: first column of every table. */
  readonly tree: number
  /** Id of this process. */
  readonly process: string
  /**
   * The clock of the database, in milliseconds since 1970, as this process knows it and as an SQL expression. Unlike that of
   * batches it may be set back.
   */
  readonly clock: { readonly now: number; readonly sql: string }
  /** @returns SQL condition that a process is alive. @param id an SQL expression */
  isAlive(id: string): string
  /** Runs work as a batch of the tree, durable when it resolves. It may run more than once; only its last run counts. */
  run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Runs one statement that changes nothing. */
  query: Statements['query']
  /** Runs statements that see one snapshot. It may run more than once. */
  snapshot<T>(work: (statements: Statements) => Promise<T>): Promise<T>
  /** Runs statements in one transaction beside the batches, once: what became of it is not known after a failure. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>
}
