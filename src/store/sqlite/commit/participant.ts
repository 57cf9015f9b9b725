/** What a job or request gets once its transaction is durable. */
export interface Settlement {
  resolve(): void
  /** The transaction will never be known to be durable. */
  reject(error: unknown): void
}

/** The open transaction of the writer, as background work sees it. */
export interface OpenTransaction {
  /** Commit time in milliseconds since 1970. */
  readonly now: number
  /** Settled once the transaction is durable. */
  readonly settlements: Settlement[]
}

/** A part of the store whose state in memory follows the transactions of the writer. */
export interface TransactionParticipant {
  /** Writes what jobs left in memory, before the commit. @returns whether the transaction changed this part */
  flush?(): boolean
  /** The transaction has committed. Must not throw. */
  committed?(): void
  /** Restores the state of the last commit, before the rollback. Must not throw. */
  rollback?(): void
}

/** Work without a job: each transaction does one bounded step of it while it is due. */
export interface BackgroundWork extends TransactionParticipant {
  readonly isDue: boolean
  /** Whether a step will be due once other work, beside the transactions, has gone on. */
  readonly isWaiting?: boolean
  /** Does one step inside the open transaction. @returns whether it changed the file */
  step(transaction: OpenTransaction): boolean | Generator<void, boolean>
}
