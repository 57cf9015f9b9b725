import type { Parameter, Statements } from '../connection/lane.ts'
import type { Lanes } from '../connection/lanes.ts'

/** A read needs more than one statement: it begins anew on a snapshot. */
export class SecondStatement extends Error {
  constructor() {
    super('a second statement')
  }
}

/** A single statement, which is a snapshot of its own and costs less than a transaction. @throws `SecondStatement` for more */
export class OneStatement implements Statements {
  readonly #lanes: Pick<Lanes, 'short'>
  #isUsed = false

  constructor(lanes: Pick<Lanes, 'short'>) {
    this.#lanes = lanes
  }

  async query<R extends object>(text: string, parameters: readonly Parameter[] = []): Promise<readonly R[]> {
    if (this.#isUsed) throw new SecondStatement()
    this.#isUsed = true
    return this.#lanes.short<R>(text, parameters)
  }
}
