import type { Tables } from '../tables.ts'

/** Pause after a failure, in milliseconds. */
const RETRY_MS = 1000

const DELETE = 'DELETE FROM sms_lease WHERE tree = $1::int AND process = $2::text AND token = ANY($3::text[])'

/** Deletes the rows of leases in the background, until it has succeeded. */
export class Releases {
  readonly #tables: Tables
  readonly #onError: (error: unknown) => void
  readonly #tokens = new Set<string>()
  #running: Promise<void> | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  /** @param onError called with each failure; it is tried again */
  constructor(tables: Tables, onError: (error: unknown) => void) {
    this.#tables = tables
    this.#onError = onError
  }

  add(tokens: readonly string[]): void {
    for (const token of tokens) this.#tokens.add(token)
    void this.attempt()
  }

  /** Resolves when what waits is deleted, or has failed once more. */
  async attempt(): Promise<void> {
    clearTimeout(this.#retry)
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    await this.#running
  }

  /** Tries once more. What is left then ends with the process. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.attempt()
  }

  async #run(): Promise<void> {
    const { tree, process } = this.#tables
    while (this.#tokens.size > 0) {
      const tokens = [...this.#tokens]
      try {
        await this.#tables.transaction(({ query }) => query(DELETE, [tree, process, tokens]))
      } catch (error) {
        this.#retryLater()
        this.#onError(error)
        return
      }
      for (const token of tokens) this.#tokens.delete(token)
    }
  }

  #retryLater(): void {
    if (this.#isClosed) return
    this.#retry = setTimeout(() => void this.attempt(), RETRY_MS)
    this.#retry.unref()
  }
}
