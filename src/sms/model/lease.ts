/** Final states being sent to one client. No other client gets them until they are acknowledged or released. */
export interface Lease {
  /** Records as JSON separated by commas, in chunks; none when there are no records. */
  readonly chunks: readonly string[]
  /** Number of records. */
  readonly count: number
  /**
   * Records that the client has received them: they are never returned again. Resolves when that is durable.
   * @throws `unavailable` when that cannot be stored; the next call returns them again
   */
  acknowledge(): Promise<void>
  /** Makes them available to the next call. Does nothing after `acknowledge`. */
  release(): void
}
