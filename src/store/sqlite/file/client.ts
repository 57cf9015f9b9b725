import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'

/** Number of statements after which collected ones are removed from the list. */
const FIRST_LOOK = 256

/**
 * A connection that `close` really closes: SQLite keeps the file open, and the space of a deleted file in use, until all
 * statements on it are finalized or collected.
 */
export class Client extends Database {
  #statements: WeakRef<Statement>[] = []
  #nextLook = FIRST_LOOK

  override prepare<Row, Bound extends SQLQueryBindings | SQLQueryBindings[]>(
    sql: string,
    parameters?: Bound,
    // biome-ignore lint/suspicious/noExplicitAny: the type of the overridden method
  ): Statement<Row, Bound extends any[] ? Bound : [Bound]> {
    const statement = super.prepare<Row, Bound>(sql, parameters)
    this.#statements.push(new WeakRef(statement as unknown as Statement))
    if (this.#statements.length > this.#nextLook) {
      this.#statements = this.#statements.filter((kept) => kept.deref() !== undefined)
      this.#nextLook = FIRST_LOOK + 2 * this.#statements.length
    }
    return statement
  }

  override close(): void {
    for (const kept of this.#statements) kept.deref()?.finalize()
    super.close()
  }
}
