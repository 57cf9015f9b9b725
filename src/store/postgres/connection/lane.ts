import { SQL } from 'bun'
import { ConnectionLost, endsConnection, isServerError, StatementTimeout } from './database-errors.ts'
import { withoutVariables } from './hidden-variables.ts'

/** Value of a parameter. An array is passed as text made by `arrayOf`. */
export type Parameter = string | number | boolean | null | Uint8Array

/** Options of the driver for one connection. */
export type ConnectionOptions = SQL.Options & { readonly adapter: 'postgres' }

/** Statements on one connection, in the order of the calls. They are pipelined: a call need not wait for the one before. */
export interface Statements {
  /**
   * Runs a statement; it is prepared once for a text. Columns of type `int8` arrive as text: cast them to `float8`.
   * @throws `ConnectionLost`, `StatementTimeout`, or the error of the server with its SQLSTATE in `errno`
   */
  query<R extends object>(text: string, parameters?: readonly Parameter[]): Promise<readonly R[]>
}

type Reserved = Awaited<ReturnType<SQL['reserve']>>

/** SQLSTATE of a transaction that was rolled back although COMMIT was accepted. */
const ROLLED_BACK = '40000'

/** A statement that is not answered yet. */
interface PendingStatement {
  /** When it is given up, by `performance.now()`. */
  readonly until: number
  readonly fail: (error: StatementTimeout) => void
}

/**
 * One connection. A client of its own with its one connection reserved: after the loss of that connection the driver
 * rejects everything, and never continues a transaction on a new connection.
 */
export class Lane implements Statements {
  readonly #client: SQL
  readonly #connection: Reserved
  readonly #timeoutMs: number
  /** Oldest first. */
  readonly #pending = new Set<PendingStatement>()
  #timer: NodeJS.Timeout | undefined
  /** Why no statement can run any more. */
  #broken: Error | undefined

  private constructor(client: SQL, connection: Reserved, timeoutMs: number) {
    this.#client = client
    this.#connection = connection
    this.#timeoutMs = timeoutMs
  }

  /** @param timeoutMs longest time of the connection and of one statement, in milliseconds */
  static async open(options: ConnectionOptions, timeoutMs: number): Promise<Lane> {
    const client = withoutVariables(() => new SQL({ ...options, max: 1, idleTimeout: 0, maxLifetime: 0 }))
    const opened = client.reserve()
    try {
      return new Lane(client, await within(timeoutMs, opened), timeoutMs)
    } catch (error) {
      opened.catch(() => {})
      client.close({ timeout: 0 }).catch(() => {})
      throw isServerError(error) ? error : new ConnectionLost(error)
    }
  }

  /** Whether the connection is lost. */
  get isBroken(): boolean {
    return this.#broken !== undefined
  }

  query<R extends object>(text: string, parameters: readonly Parameter[] = []): Promise<readonly R[]> {
    return this.#run(() => this.#connection.unsafe<R[]>(text, parameters as unknown[]))
  }

  /** Begins a transaction. */
  async begin(mode: 'read only snapshot' | 'read write'): Promise<void> {
    // A tagged template: `unsafe` without parameters would stop the pipeline.
    await this.#run(() =>
      mode === 'read write'
        ? this.#connection`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE`
        : this.#connection`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`,
    )
  }

  /** @throws an error with the SQLSTATE 40000 when the server has rolled back because a statement had failed */
  async commit(): Promise<void> {
    const { command } = (await this.#run(() => this.#connection`COMMIT`)) as unknown as { readonly command: string }
    if (command === 'ROLLBACK')
      throw Object.assign(new Error('the transaction was rolled back'), { errno: ROLLED_BACK })
  }

  /** Ends the transaction, if one is open. Never rejects. */
  async rollback(): Promise<void> {
    await this.#run(() => this.#connection`ROLLBACK`).catch(() => {})
  }

  /** Closes the connection. Statements that wait are rejected. */
  async close(): Promise<void> {
    this.#broken ??= new ConnectionLost('closed')
    clearTimeout(this.#timer)
    await this.#client.close({ timeout: 0 }).catch(() => {})
  }

  async #run<T>(statement: () => PromiseLike<T>): Promise<T> {
    if (this.#broken !== undefined) throw this.#broken
    try {
      return await this.#bounded(statement())
    } catch (error) {
      if (isServerError(error) && !endsConnection(error)) throw error
      this.#broken = error instanceof StatementTimeout ? error : new ConnectionLost(error)
      void this.close()
      throw isServerError(error) ? error : this.#broken
    }
  }

  /** A network that swallows everything is not noticed by the driver: each statement has a deadline. One timer serves all. */
  #bounded<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const statement: PendingStatement = { until: performance.now() + this.#timeoutMs, fail: reject }
      this.#pending.add(statement)
      this.#timer ??= setTimeout(this.#check, this.#timeoutMs)
      work.then(
        (value) => {
          this.#pending.delete(statement)
          resolve(value)
        },
        (error: unknown) => {
          this.#pending.delete(statement)
          reject(error)
        },
      )
    })
  }

  readonly #check = (): void => {
    this.#timer = undefined
    const [oldest] = this.#pending
    if (oldest === undefined) return
    const left = oldest.until - performance.now()
    if (left > 0) this.#timer = setTimeout(this.#check, left)
    else for (const { fail } of this.#pending) fail(new StatementTimeout(this.#timeoutMs))
  }
}

/** @throws `StatementTimeout` */
async function within<T>(timeoutMs: number, work: PromiseLike<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new StatementTimeout(timeoutMs)), timeoutMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
