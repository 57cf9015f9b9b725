import type { Status } from '../../protocol/sms/calls.ts'
import type { Ledger, Write } from './ledger.ts'

/** A call that writes, and what was answered; `undefined` when no answer came: it may have been done or not. */
export interface Attempt {
  readonly write: Write
  readonly answer: string | undefined
}

/** What a query by rrid has told. */
export interface Sight {
  readonly rrid: string
  readonly records: readonly Status[]
}

/** What happened among calls that were under way at once. */
export interface Explanation {
  /** The calls that were done, in an order that explains every answer. */
  readonly done: readonly Write[]
  /** Every order in which messages may have come to their end. */
  readonly orders: readonly (readonly string[])[]
}

/**
 * Looks for orders of calls that explain all that was seen: every answer that came, what was told meanwhile, and what is
 * told afterwards. A call without an answer may stand anywhere among them, or nowhere; each one is done as a whole.
 * @param ledger what was known before; left as it was
 * @returns `undefined` when there is no such order
 */
export function explain(
  ledger: Ledger,
  attempts: readonly Attempt[],
  meanwhile: readonly Sight[],
  afterwards: readonly Sight[],
): Explanation | undefined {
  const search = new Search(ledger, attempts, meanwhile, afterwards)
  search.run()
  return search.found
}

class Search {
  found: Explanation | undefined
  readonly #ledger: Ledger
  readonly #attempts: readonly Attempt[]
  readonly #meanwhile: readonly Sight[]
  readonly #afterwards: readonly Sight[]
  readonly #left: Set<Attempt>
  readonly #done: Write[] = []
  #finals: readonly string[] = []
  #unseen: ReadonlySet<Sight>
  readonly #orders = new Map<string, readonly string[]>()

  constructor(ledger: Ledger, attempts: readonly Attempt[], meanwhile: readonly Sight[], afterwards: readonly Sight[]) {
    this.#ledger = ledger
    this.#attempts = attempts
    this.#meanwhile = meanwhile
    this.#afterwards = afterwards
    this.#left = new Set(attempts)
    this.#unseen = new Set(this.#meanwhile)
  }

  run(): void {
    const unseen = this.#unseen
    this.#unseen = new Set([...unseen].filter((sight) => !this.#agrees(sight)))
    if (this.#isExplained()) this.#keep()
    for (const attempt of this.#attempts) if (this.#left.has(attempt)) this.#try(attempt)
    this.#unseen = unseen
  }

  #try(attempt: Attempt): void {
    const { write, answer } = attempt
    const mark = this.#ledger.mark
    const finals = this.#finals
    const outcome = this.#ledger.apply(write)
    if (answer === undefined || answer === outcome.answer) {
      this.#left.delete(attempt)
      this.#done.push(write)
      this.#finals = [...finals, ...outcome.finals]
      this.run()
      this.#finals = finals
      this.#done.pop()
      this.#left.add(attempt)
    }
    this.#ledger.goBack(mark)
  }

  #isExplained(): boolean {
    if (this.#unseen.size > 0) return false
    for (const { answer } of this.#left) if (answer !== undefined) return false
    return this.#afterwards.every((sight) => this.#agrees(sight))
  }

  #keep(): void {
    this.#orders.set(this.#finals.join(), this.#finals)
    this.found = { done: this.found?.done ?? [...this.#done], orders: [...this.#orders.values()] }
  }

  #agrees({ rrid, records }: Sight): boolean {
    return JSON.stringify(records) === JSON.stringify(this.#ledger.batch(rrid))
  }
}
