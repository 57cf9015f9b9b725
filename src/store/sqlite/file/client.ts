import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'

/** Statements after which those that are gone are looked for. */
const FIRST_LOOK = 256

/**
 * A connection that is closed for good when it is closed: a file stays open, and what is deleted of it takes room, for
 * as long as a statement on it has not been collected.
 */
export class Client extends Database {
  #statements: WeakRef<Statement>[] = []
  #nextLook = FIRST_LOOK

  override prepare<Row, Bound extends SQLQueryBindings | SQLQueryBindings[]>(
    sql: string,
    parameters?: Bound,
    // biome-ignore lint/suspicious/noExplicitAny: the type of the method it stands for
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
