import type { Parameter, Statements } from '../connection/lane.ts'

/** A read needs more than one statement: it begins anew on a snapshot. */
export class SecondStatement extends Error {
  constructor() {
    super('a second statement')
  }
}

/** A single statement, which is a snapshot of its own and costs less than a transaction. @throws `SecondStatement` for more */
export class OneStatement implements Statements {
  readonly #statements: Statements
  #isUsed = false

  constructor(statements: Statements) {
    this.#statements = statements
  }

  async query<R extends object>(text: string, parameters: readonly Parameter[] = []): Promise<readonly R[]> {
    if (this.#isUsed) throw new SecondStatement()
    this.#isUsed = true
    return this.#statements.query<R>(text, parameters)
  }
}
