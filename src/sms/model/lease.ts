/** Final states on their way to a client: nobody else is given them until this is acknowledged or released. */
export interface Lease {
  /** Records as finished JSON, comma between them, in pieces; none when there is nothing to tell. */
  readonly pieces: readonly string[]
  /** Number of records. */
  readonly count: number
  /**
   * The client has them: they are never handed over again. Resolves when that is durable.
   * @throws `unavailable` when it cannot be kept; then the next call gets them again
   */
  acknowledge(): Promise<void>
  /** The client has not got them all: the next call gets them. Does nothing once acknowledged. */
  release(): void
}
