import type { Path } from '../tree/path.ts'
import type { Reads } from '../tree/read-request.ts'
import { Budget } from './budget.ts'
import { isTrue } from './evaluate.ts'
import { RuleFailure } from './failure.ts'
import type { Frame } from './frame.ts'
import type { Rule } from './rule-node.ts'
import type { State } from './state.ts'
import { Trace } from './trace.ts'
import type { Visit } from './visit.ts'

/** Asks rules for one request, one after the other, out of one budget. */
export class Court {
  readonly trace: Trace
  /** Whether some rule so far looked at what may change while the rules stay. */
  hasLooked = false
  readonly #frame: Frame
  #hasAsked = false

  /** @param after the tree as the request would leave it; `undefined` for a read */
  constructor(visit: Visit, after: State | undefined, isTraced: boolean) {
    this.trace = new Trace(isTraced)
    this.#frame = { visit, path: [], depth: 0, after, budget: new Budget(), at: 0, hasLooked: false }
  }

  /** Notes that nothing on the way to a place says anything, if so it is. */
  conclude(path: Path, kind: '.read' | '.write'): void {
    if (!this.#hasAsked) this.trace.silent(path, kind)
  }

  /** Whether the last rule looked at what may change. */
  get lastHasLooked(): boolean {
    return this.#frame.hasLooked
  }

  /**
   * What a rule says at a place; one that has no answer says no.
   * @param path at least as deep as the rule
   */
  *ask(rule: Rule, path: Path): Reads<boolean> {
    const frame = this.#frame
    this.#hasAsked = true
    frame.path = path
    frame.depth = rule.depth
    frame.hasLooked = false
    frame.budget.forget()
    try {
      const value = yield* isTrue(rule.expression, frame)
      this.trace.said(rule, value)
      return value
    } catch (error) {
      if (!(error instanceof RuleFailure)) throw error
      this.trace.failed(rule, error.message, frame.at)
      return false
    } finally {
      this.hasLooked ||= frame.hasLooked
    }
  }

  /** Charges a step of the way to the rules. @returns whether others should run now */
  isPauseDue(): boolean {
    const { budget } = this.#frame
    budget.walk()
    return budget.isPauseDue()
  }
}
